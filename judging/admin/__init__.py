"""Rules, the queue and catch-ups in Django admin; what each model's admin does is in the module of its name."""

from judging.admin import catch_ups, queue, rules, versions

__all__ = ["catch_ups", "queue", "rules", "versions"]
