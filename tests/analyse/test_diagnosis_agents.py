"""Where several agents play, the diagnosis says which of them was the limit."""

from diagnosis_levels import QUIET, Server, level

from headcount.analyse.diagnosis.diagnose import of_levels
from headcount.bundle.level import CounterSummary


def test_of_several_agents_the_busiest_is_named() -> None:
    def agent(busy: float) -> dict[str, CounterSummary]:
        means = {"agent.worker.busiest": busy, "cgroup.cpu.throttled": busy / 2}
        return {
            name: CounterSummary(mean=mean, max=mean, p95=mean, samples=30)
            for name, mean in means.items()
        }

    quiet = Server(quiet=QUIET).levels((0.1, 0.3, 0.5))
    late = [
        level(
            *(index, users, 60.0, users / 60, 1.0, QUIET),
            limited=True,
            worker=0.97,
            generator={"cgroup.cpu.throttled": 0.485},
        )
        for index, users in ((9, 120), (8, 180))
    ]
    agents = {"agent-1": agent(0.3), "agent-2": agent(0.97), "agent-10": agent(0.6)}
    found = of_levels(
        [
            *quiet,
            *(one.model_copy(update={"counters": {**one.counters, **agents}}) for one in late),
        ]
    )
    assert found is not None
    assert found.limit == "generator"
    shown = [one.sentence for one in found.figures if one.side == "generator"]
    assert "the busiest worker of agent 2 used 97.0% of a core" in shown
    assert "the control group of agent 2 was throttled in 48.5% of periods" in shown
