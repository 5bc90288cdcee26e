"""The application that a WSGI server serves."""

from django.core.wsgi import get_wsgi_application

from kindgi.startup import configured

with configured():
    application = get_wsgi_application()
