"""``manage.py import_runs``: a file of any size, batch by batch, safe to run again, telling what was refused."""

import io
import json
import sys
from types import SimpleNamespace
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command

from kindgi.api.bodies import MAX_BYTES
from kindgi.runs.models import Agent, AgentVersion, Run
from kindgi.runs.services.importing import runs_import
from tests.builders import default_project, make_project, make_tenant
from tests.support.commands import manage
from tests.support.shops import completed

pytestmark = pytest.mark.django_db

COMMAND = "kindgi.runs.management.commands.import_runs"


@pytest.fixture
def tenant():
    return make_tenant("acme")


@pytest.fixture
def file(tmp_path):
    return tmp_path / "runs.jsonl"


def record(run_id=None, **body):
    return {"id": run_id or str(uuid4()), **completed(**body)}


def write(file, *records):
    file.write_bytes(b"".join(one if isinstance(one, bytes) else json.dumps(one).encode() + b"\n" for one in records))


def imported(*arguments, **options):
    """What the command wrote, and whether it ended well; the bar is not drawn."""
    said = SimpleNamespace(out=io.StringIO(), err=io.StringIO(), failure=None)
    try:
        call_command("import_runs", *map(str, arguments), stdout=said.out, stderr=said.err, verbosity=0, **options)
    except CommandError as error:
        said.failure = str(error)
    return SimpleNamespace(out=said.out.getvalue(), err=said.err.getvalue(), failure=said.failure)


def test_the_same_file_again_changes_nothing(tenant, file):
    write(file, *(record() for _ in range(7)), b"\n", b"  \r\n", record(status="running", output=None))
    first = imported(file, batch=3)
    assert "Runs: 8 created, 0 updated, 0 unchanged, 0 refused." in first.out and first.failure is None
    before = list(Run.objects.order_by("pk").values())
    ended = imported(file, batch=3)
    assert "0 created, 1 updated, 7 unchanged, 0 refused" in ended.out, "a running one is said to run still"
    after = list(Run.objects.order_by("pk").values())
    assert [{**row, "updated_at": 0} for row in after] == [{**row, "updated_at": 0} for row in before]


def test_a_run_moves_on_in_a_later_line_and_a_later_file(tenant, file):
    run_id = str(uuid4())
    going = record(run_id, status="running", output=None)
    write(file, going, record(run_id), b"")
    assert "1 created, 1 updated, 0 unchanged" in imported(file).out
    write(file, record(run_id), record(run_id, status="failed", output=None))
    result = imported(file)
    assert "0 created, 0 updated, 1 unchanged, 1 refused" in result.out and "(run-already-terminal)" in result.out
    assert Run.objects.get().status == "completed"


def test_refused_lines_are_told_with_their_number_id_and_reason_and_lose_nothing_else(tenant, file, tmp_path):
    good, other = record(), record(projectId=str(uuid4()))
    long = b'{"id": "' + b"x" * MAX_BYTES + b'"}\n'
    bad = [b"{not json\n", long, b"[]\n", b'\xff"\n', record("no-uuid"), other, {**record(), "surprise": 1}]
    write(file, *bad, good)
    result = imported(file, refused=tmp_path / "refused.jsonl")
    assert "Runs: 1 created, 0 updated, 0 unchanged, 7 refused." in result.out
    assert result.failure == "7 lines were refused."
    told = [line.strip() for line in result.out.splitlines()[1:]]
    assert [line.partition(",")[0] for line in told] == [f"line {number}" for number in range(1, 8)]
    assert "A record can have up to 2,097,152 bytes. (bad-input)" in told[1]
    assert told[5].startswith(f"line 6, {other['id']}: ") and told[5].endswith("(project-not-found)")
    assert "surprise" in told[6]
    written = [json.loads(line) for line in (tmp_path / "refused.jsonl").read_text().splitlines()]
    assert [entry["line"] for entry in written] == list(range(1, 8))
    assert written[5] == {"line": 6, "id": other["id"], "error": written[5]["error"]}
    assert written[5]["error"]["code"] == "project-not-found" and "id" not in written[0]


def test_of_many_refused_lines_the_first_twenty_are_shown_and_all_are_written(tenant, file, tmp_path):
    write(file, *(b"{}\n" for _ in range(45)))
    result = imported(file, batch=10, refused=tmp_path / "refused.jsonl")
    assert result.out.count("line ") == 20 and "… and 25 more." in result.out
    assert len((tmp_path / "refused.jsonl").read_text().splitlines()) == 45


def test_records_go_to_the_default_project_the_one_that_is_given_or_the_one_that_they_name(tenant, file):
    side, named = make_project(tenant, "side"), make_project(tenant, "named")
    write(file, record(), record(projectId=str(named.pk)))
    imported(file)
    assert set(Run.objects.values_list("project_id", flat=True)) == {default_project(tenant).pk, named.pk}
    write(file, record(), record(projectId=str(named.pk)))
    imported(file, project="side")
    assert Run.objects.filter(project=side).count() == 1 and Run.objects.filter(project=named).count() == 2


def test_the_oldest_tenant_is_taken_unless_one_is_named_and_said_aloud(tenant, file):
    other = make_tenant("beta")
    write(file, record())
    assert "Importing for the tenant acme." in imported(file).err
    result = imported(file, tenant="beta")
    assert "1 created" in result.out and result.err == ""
    assert set(Run.objects.values_list("tenant_id", flat=True)) == {tenant.pk, other.pk}
    theirs = make_project(tenant, "side")
    write(file, record(projectId=str(theirs.pk)))
    assert "(project-not-found)" in imported(file, tenant="beta").out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"tenant": "nobody"}, "There's no tenant 'nobody'."),
        ({"project": "nothing"}, "The tenant acme has no project 'nothing'."),
        ({"batch": 0}, "--batch takes 1 to 1000."),
        ({"batch": 1001}, "--batch takes 1 to 1000."),
        ({"agents": "/nowhere/agents.json"}, "No such file"),
        ({"refused": "/nowhere/refused.jsonl"}, "No such file"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(tenant, file, options, said):
    write(file, record())
    assert said in imported(file, **options).failure
    assert not Run.objects.exists()


def test_without_a_file_or_a_tenant_nothing_happens(file):
    write(file, record())
    assert "There's no tenant yet" in imported(file).failure
    make_tenant()
    assert "No such file" in imported(file.with_name("missing")).failure
    file.write_bytes(b"")
    assert "0 created" in imported(file).out


def test_agents_versions_are_registered_first_and_what_else_the_file_says_is_ignored(tenant, file, tmp_path):
    agents = tmp_path / "agents.json"
    versions = [
        {"version": "1.0.0", "model": "m", "tools": [{"id": "a.b", "writes": True, "parameters": {}}, {"id": "a.c"}]},
        {"version": "1.1.0"},
    ]
    agents.write_text(json.dumps({"agents": [{"id": "a", "name": "A", "versions": versions}], "source": "here"}))
    write(file, record())
    assert "2 registered, 2 of them new" in imported(file, agents=agents).out
    assert Agent.objects.filter(agent_id="a").values_list("latest__version", flat=True).get() == "1.1.0"
    tools = AgentVersion.objects.get(version="1.0.0").tools
    assert tools == [{"id": "a.b", "writes": True}, {"id": "a.c"}]
    before = list(AgentVersion.objects.values())
    assert "2 registered, 0 of them new" in imported(file, agents=agents).out
    assert list(AgentVersion.objects.values()) == before
    agents.write_text('{"agents": [{"id": "a", "versions": [{"version": ""}]}]}')
    assert "/agents/0/versions/0/version" in imported(file, agents=agents).failure


def test_standard_input_is_read(tenant, monkeypatch):
    lines = json.dumps(record()).encode() + b"\n" + json.dumps(record()).encode()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(lines)))
    assert "2 created" in imported("-").out


def test_a_bar_is_drawn_on_the_error_stream(tenant, file, capsys):
    write(file, *(record() for _ in range(3)))
    call_command("import_runs", str(file), batch=1)
    shown = capsys.readouterr()
    assert "Importing: 100%" in shown.err and "Importing" not in shown.out


@pytest.mark.django_db(transaction=True)
def test_batches_before_one_that_fails_are_in(tenant, file, monkeypatch):
    write(file, *(record() for _ in range(5)))
    calls: list[object] = []

    def second_fails(**arguments):
        calls.append(arguments)
        done = runs_import(**arguments)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return done

    monkeypatch.setattr(f"{COMMAND}.runs_import", second_fails)
    out, err = io.StringIO(), io.StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("import_runs", str(file), batch=2, stdout=out, stderr=err, verbosity=0)
    assert ended.value.code == 130 and "Interrupted" in err.getvalue()
    assert "Runs: 2 created" in out.getvalue() and Run.objects.count() == 2
    monkeypatch.undo()
    assert "3 created, 0 updated, 2 unchanged" in imported(file).out


@pytest.mark.django_db(transaction=True)
def test_as_a_program_it_ends_with_1_when_lines_were_refused(tenant, file):
    from django.db import connection

    settings = connection.settings_dict
    database = f"postgres://{settings['USER']}@/{settings['NAME']}?host={settings['HOST']}&port={settings['PORT']}"
    write(file, record(), b"{}\n")
    ended = manage("import_runs", str(file), environment={"DATABASE_URL": database})
    assert ended.returncode == 1 and "1 created" in ended.stdout
    assert ended.stderr.strip().endswith("CommandError: 1 lines were refused.")
