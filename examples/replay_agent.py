"""A replay endpoint to start from: an agent that says what it would do, and does nothing.

    pip install standardwebhooks
    python examples/replay_agent.py --port 8400 --secret whsec_...

Kindgi Quality sends it a signed POST for each run, ``{input, version, change?, blocks?, dryRun}``,
and it answers ``{"output": ..., "calls": [{"tool", "args"}]}``. Put your own agent in place of
:func:`agent`: have it use ``blocks`` as its prompts and settings, and let no tool write. The secret
is shown once, when a project admin sets this endpoint's address. docs/replay-endpoint.md has the rest.
"""

import argparse
import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from standardwebhooks import Webhook, WebhookVerificationError

# What the agent runs with where a request has no block of that name.
SETTINGS = {"routing": {"lookupTool": "orders.find"}}


def agent(said: dict[str, Any], blocks: dict[str, Any]) -> dict[str, Any]:
    """What the agent would do about ``said``: look the order up, with the tool that its settings name."""
    routing = {**SETTINGS["routing"], **blocks.get("routing", {}).get("values", {})}
    message = said["messages"][-1]["content"] if "messages" in said else said["message"]
    calls = [{"tool": routing["lookupTool"], "args": {"query": message}}]
    return {"output": {"response": {"content": "I have looked your order up."}}, "calls": calls}


class Endpoint(BaseHTTPRequestHandler):
    """Verifies who asks, and answers."""

    webhook: Webhook

    def do_POST(self) -> None:
        """One run to be replayed."""
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            self.webhook.verify(body, dict(self.headers), json_parse=False)
            request = json.loads(body)
            self.answer(200, agent(request["input"], request.get("blocks", {})))
        except WebhookVerificationError:
            self.answer(401, {"error": "The signature isn't ours."})
        except (ValueError, KeyError, TypeError, IndexError):
            self.answer(422, {"error": "The agent can't read this input."})

    def answer(self, status: int, said: dict[str, Any]) -> None:
        """Send JSON."""
        body = json.dumps(said).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="A replay endpoint for Kindgi Quality.")
    parser.add_argument("--port", type=int, default=8400)
    parser.add_argument("--secret", default=os.environ.get("REPLAY_SECRET"), help="whsec_..., or in REPLAY_SECRET")
    options = parser.parse_args()
    Endpoint.webhook = Webhook(options.secret or parser.error("--secret is missing"))
    server = ThreadingHTTPServer(("127.0.0.1", options.port), Endpoint)
    print(f"Listening on http://127.0.0.1:{server.server_port}/", flush=True)
    server.serve_forever()
