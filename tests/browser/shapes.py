"""Runs as agents leave them, of every shape that a page has to show: the body of each by its name."""

from __future__ import annotations

from typing import Any

from tests.support.shops import AGENT, TOOLS, completed

LOOKUP, REFUND, MAIL = TOOLS
WRITES = {REFUND, MAIL}
LONG_NAME = ("A name that somebody thought had to say everything about it, down to the last detail " * 3)[:200].strip()
LONG_NAME += "!" * (200 - len(LONG_NAME))
LONG_AGENT = ("shop.an-agent-whose-name-has-no-place-to-break-" * 5)[:200]
UNBROKEN = "https://shop.example/orders/" + "0123456789abcdef" * 40
MEBIBYTE = 1 << 20


def said(text: Any, *steps: tuple[str, dict[str, Any], Any], asked: str = "Where is my parcel?", **body: Any) -> Any:
    """A completed run that answered ``text`` after the steps: tool, arguments, result."""
    told = [{"tool": tool, "args": args, "result": result, "refused": False} for tool, args, result in steps]
    calls = [{"tool": tool, "args": args, "refused": body.pop("refused", False)} for tool, args, _ in steps]
    output = {"response": {"content": text}, **({"toolCalls": told} if told else {})}
    return completed(**{"input": {"message": asked}, "output": output, "calls": calls, **body})


def agent(version: str = "1.1.0", *, via: str = "live", name: str = AGENT) -> dict[str, Any]:
    """The agent that ran."""
    return {"id": name, "version": version, "via": via}


def trend_run(version: str, number: int) -> dict[str, Any]:
    """One of many that are alike."""
    order = f"A-{number}"
    found = (LOOKUP, {"order": order}, {"order": order, "status": "sent"})
    body: dict[str, Any] = said(f"Order {order} is on its way.", found, agent=agent(version))
    return body


_ORDER = (LOOKUP, {"order": "A-17"}, {"order": "A-17", "price": 129.0, "deliveredDaysAgo": 12})
_REFUND = (REFUND, {"order": "A-17", "amount": 129.0, "reason": "changed mind"}, {"refunded": 129.0})
_TALK = [
    {"role": "user", "content": "Hi there! I need some help with order A-17."},
    {"role": "assistant", "content": "Of course. What is it about?"},
    {"role": "user", "content": "It came twice 😅\n\nMay I keep the second one?"},
]
_LIST = [{"id": f"case-{letter}", "title": f"Case {letter}", "score": 0.9} for letter in "abcdefgh"]
_DEEP: dict[str, Any] = {"end": [1, 2.50, None, True]}
for _level in range(20):
    _DEEP = {f"level {_level}": _DEEP}

SHAPES: dict[str, dict[str, Any]] = {
    "plain": said("Your refund of €129.00 is on its way.", _ORDER, _REFUND, agent=agent()),
    "next": said("It left the warehouse this morning.", _ORDER, agent=agent()),
    "after that": said("It was delivered on Monday.", _ORDER, agent=agent("2.0.0")),
    "no calls": said("I can't help with that.", agent=agent()),
    "nothing said": said("", _ORDER, agent=agent()),
    "conversation": said("Please send it back.", _ORDER, input={"messages": _TALK}, agent=agent("2.0.0", via="latest")),
    "many calls": said("Found it at last.", *([_ORDER] * 60), _REFUND, agent=agent()),
    "refused call": said("I may not do that.", _ORDER, _REFUND, refused=True, agent=agent()),
    "right to left": said(
        "طلبك A-17 مع شركة الشحن، وسيصل غدًا.", _ORDER, asked="أين طلبي A-17؟ انتظرت أسبوعين 😡", agent=agent()
    ),
    "emoji": said("📦➡️🏠 🎉👩‍👩‍👧‍👦🏳️‍🌈 é é", _ORDER, asked="📦❓", agent=agent()),
    "unbroken": said(UNBROKEN, (LOOKUP, {"order": UNBROKEN}, {"url": UNBROKEN}), asked=UNBROKEN, agent=agent()),
    "long name": said("I am the agent with the long name.", agent=agent("1.0.0", name=LONG_AGENT)),
    "list": completed(output={"matches": _LIST, "response": {"content": "Eight cases fit."}}, agent=agent()),
    "deep": completed(output=_DEEP, agent=agent()),
    "json in a string": said('{"status": "sent", "carrier": "Heron"}', _ORDER, agent=agent("1.0.0", via="explicit")),
    "lines": said("First:\n\n- one\n- two\n\n```\ncode\n```\n" * 20, _ORDER, agent=agent()),
    "markup": said("<script>document.title = 'taken'</script><b>bold?</b> &amp; {{ 7|add:1 }}", agent=agent()),
    "big": said("All of it: " + "0123456789abcde\n" * (MEBIBYTE // 16), _ORDER, agent=agent()),
    "dry": said("I would have said this.", _ORDER, dryRun=True, agent=agent()),
    "failed": said(
        "", _ORDER, status="failed", output=None, failureMessage="The model didn't answer in 60 s.", agent=agent()
    ),
    "corrected, then erased": said("Dear Jo Person …", asked="I am Jo Person.", agent=agent()),
    "running": completed(status="running", output=None, agent=agent()),
    "flow": completed(flow={"id": "shop.parcels", "version": "3.0.0"}, output={"sorted": 40, "lost": ["A-3"]}),
    "corrected": completed(calls=[{"tool": REFUND, "args": {"order": "A-17"}}], agent=agent()),
    "seen by others": said("Refunded.", _REFUND, agent=agent("2.0.0")),
    "for a customer": said("Hello Kim!", participantId="customer-17", agent=agent()),
    "dismissed": said("This is a test.", asked="test", agent=agent()),
    "dismissed too": said("This is a test as well.", asked="test", agent=agent()),
    "erased": said("Dear Kim Person, of 1 Some Street …", _ORDER, asked="I am Kim Person.", agent=agent()),
}
