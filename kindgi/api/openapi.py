"""stub"""
from django.http import JsonResponse
def openapi_json(request): return JsonResponse({})
def docs_page(request): return JsonResponse({})
