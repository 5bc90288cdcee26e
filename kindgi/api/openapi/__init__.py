"""The API's description of itself: the OpenAPI document, and the page that people read."""

from kindgi.api.openapi.views import DocsPage, OpenApiDocument

openapi_json = OpenApiDocument.as_view()
docs_page = DocsPage.as_view()

__all__ = ["docs_page", "openapi_json"]
