"""Where a browser goes on to after it has sent something."""

from __future__ import annotations

from http import HTTPStatus

from django.http import HttpResponseRedirect


class SeeOther(HttpResponseRedirect):
    """The page is got by a GET, whatever was sent before."""

    status_code = HTTPStatus.SEE_OTHER
