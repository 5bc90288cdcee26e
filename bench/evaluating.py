"""How long an evaluation takes: of ours for each case, of the endpoint's, and to score it all at the end.

    .venv/bin/python bench/evaluating.py [--cases 1000] [--times 2]

Each case is a corrected run; the endpoint is examples/replay_agent.py, a process of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from typing import Any
from uuid import uuid4

from support import project, tenant_with_token

AGENT, VERSION, BLOCK = "bench.lookup", "1.0.0", "routing"
TOOLS = [{"id": tool, "writes": False} for tool in ("orders.find", "orders.search")]
os.environ["REPLAY_ALLOWED_NETWORKS"] = "127.0.0.0/8"


def seed(tenant: Any, home: Any, cases: int) -> None:
    """A version with its block, and so many runs of it, each corrected."""
    from django.db import transaction

    from corrections.services.recording import correction_record
    from corrections.submissions import CorrectionBody
    from kindgi.access.callers import operator_in
    from kindgi.api.jsontext import decode
    from kindgi.runs.blocks import SettingsBlock, blocks_checked
    from kindgi.runs.services.agents import agent_version_register
    from kindgi.runs.services.importing import runs_import

    caller = operator_in(tenant.pk)
    block = decode(
        json.dumps({"id": BLOCK, "values": {"lookupTool": "orders.find"}, "kind": "settings"}).encode(), SettingsBlock
    )
    with transaction.atomic():
        agent_version_register(
            caller=caller, agent_id=AGENT, version=VERSION, tools=TOOLS, blocks=blocks_checked([block])
        )
        runs = [(str(uuid4()), f"Where is order {number}?") for number in range(cases)]
        records = [(number, json.dumps(record(home, *run)).encode()) for number, run in enumerate(runs)]
        for line in runs_import(caller=caller, records=records):
            if line.refusal is not None:
                raise line.refusal
        for run_id, message in runs:
            should = [{"tool": "orders.search", "args": {"query": message}}]
            body = json.dumps({"runId": run_id, "decisions": "wrong", "shouldCall": should}).encode()
            correction_record(caller=caller, body=decode(body, CorrectionBody))


def record(home: Any, run_id: str, message: str) -> dict[str, Any]:
    """A run as it is imported."""
    return {
        "id": run_id,
        "projectId": str(home.pk),
        "agent": {"id": AGENT, "version": VERSION, "via": "live"},
        "status": "completed",
        "input": {"message": message},
        "output": {"response": {"content": "I have looked your order up."}},
        "calls": [{"tool": "orders.find", "args": {"query": message}}],
    }


def evaluate(tenant: Any, home: Any, number: int) -> dict[str, float]:
    """Seconds of an evaluation's parts."""
    from django.db import transaction

    from improve.evaluating import EvaluateBody
    from improve.replaying import asking
    from improve.services import running
    from improve.services.evaluations import proposal_evaluate
    from improve.services.proposals import proposal_create
    from improve.suggesting import ProposalBody
    from kindgi.access.callers import operator_in
    from kindgi.api.jsontext import decode

    caller, spent = operator_in(tenant.pk), {"endpoint": 0.0, "end": 0.0}
    post, end = asking.post, running.job_end

    def posting(*args: Any, **options: Any) -> Any:
        begun = time.perf_counter()
        try:
            return post(*args, **options)
        finally:
            spent["endpoint"] += time.perf_counter() - begun

    def ending(**options: Any) -> Any:
        begun = time.perf_counter()
        ended = end(**options)
        spent["end"] += time.perf_counter() - begun
        return ended

    asking.post, running.job_end = posting, ending
    said = {
        "agentId": AGENT,
        "fromVersion": VERSION,
        "scope": {"kind": "project", "projectId": str(home.pk)},
        "change": {"blockId": BLOCK, "content": {"values": {"lookupTool": "orders.search", "number": number}}},
        "hypothesis": "Searching finds more.",
    }
    begun = time.perf_counter()
    with transaction.atomic():
        proposal, _ = proposal_create(caller=caller, body=decode(json.dumps(said).encode(), ProposalBody))
        made = proposal_evaluate(caller=caller, proposal_id=str(proposal.pk), body=decode(b"{}", EvaluateBody))
    asked = time.perf_counter()
    turn: int | None = 0
    while turn is not None:
        turn = running.job_turn(job_id=made.job_id, turn=turn)
    done = time.perf_counter()
    asking.post, running.job_end = post, end
    made.refresh_from_db()
    if made.finding != "better":
        raise RuntimeError(f"It found {made.finding}.")
    return {"begin": asked - begun, "replays": done - asked - spent["end"], **spent}


def main() -> None:
    """Print a line an evaluation."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--times", type=int, default=2)
    options = parser.parse_args()
    with project("evaluating"):
        from django.db import transaction

        from improve.services.endpoints import replay_endpoint_set
        from kindgi.access.callers import operator_in
        from kindgi.demo import endpoint

        tenant, home, _ = tenant_with_token()
        seed(tenant, home, options.cases)

        def set_to(url: str) -> str:
            with transaction.atomic():
                made = replay_endpoint_set(caller=operator_in(tenant.pk), project=home, agent_id=AGENT, url=url)
            return made.secret or ""

        with endpoint.running(set_to(endpoint.address(9))) as url:
            set_to(url)
            for number in range(options.times):
                took = evaluate(tenant, home, number)
                each = {name: took[name] * 1000 / options.cases for name in ("replays", "endpoint")}
                print(
                    f"{options.cases} cases: begun in {took['begin']:.2f} s;"
                    f" a case {each['replays']:.2f} ms, {each['endpoint']:.2f} of them the request;"
                    f" scored and stored in {took['end']:.2f} s"
                )


if __name__ == "__main__":
    main()
