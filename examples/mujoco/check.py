"""Runs MuJoCo with the plug-in harp.force and compares the forces on every body with those that NumPy computes. Also checks the work of the
lift, the energy of bodies in the network's potential, and the plug-in's messages if something is missing; measures the time of a step.
Prints a line for each check; the exit status is 1 if one failed. Usage: check.py PLUGIN [--short]; $HARP_LIBRARY names libharp.
"""
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import mujoco
import numpy as np

from train import energy as network_energy
from train import force as network_force
from train import target

HERE = Path(__file__).resolve().parent
LAW, WEIGHTS = HERE / "drag_lift.harp", HERE / "potential.npy"
COEFFICIENTS = (1.2, 0.05, 0.8, 0.5)  # air density, viscosity, lift coefficients of plates and of spinning bodies (Magnus)
RANDOM = np.random.default_rng(7)


def numbers(values):
    return " ".join(repr(float(v)) for v in values)


def instance(**attributes):
    lines = "".join(f'<config key="{key}" value="{value}"/>' for key, value in attributes.items())
    return f'<extension><plugin plugin="harp.force"><instance name="fluid">{lines}</instance></plugin></extension>'


def model(extension="", option="", free=80, chains=5, length=4, spread=2.0):
    """Returns a model of boxes that fly freely and chains of boxes on hinges: free + chains * length bodies. With `extension`, they all
    belong to its plug-in instance."""
    random = np.random.default_rng(3)
    member = '<plugin instance="fluid"/>' if extension else ""

    def box():
        size = random.uniform(0.03, 0.2, 3)
        return f'<geom type="box" size="{numbers(size)}" density="300" contype="0" conaffinity="0"/>{member}'

    def start():
        return f'pos="{numbers(random.uniform(-spread, spread, 3))}" quat="{numbers(random.normal(size=4))}"'

    bodies = "".join(f"<body {start()}><freejoint/>{box()}</body>" for _ in range(free))
    for _ in range(chains):
        links = "".join(f'<body pos="0 0 0.4"><joint axis="{numbers(random.normal(size=3))}" pos="0 0 -0.2"/>{box()}' for _ in range(length - 1))
        bodies += f"<body {start()}><freejoint/>{box()}{links}{'</body>' * length}"
    return mujoco.MjModel.from_xml_string(
        f'<mujoco>{extension}<option timestep="0.002" gravity="0 0 0" wind="1 -0.5 0.2" {option}/><worldbody>{bodies}</worldbody></mujoco>')


def moving(m):
    d = mujoco.MjData(m)
    d.qvel[:] = np.random.default_rng(11).normal(0, 2, m.nv)
    mujoco.mj_forward(m, d)
    return d


# ---- the expected forces: the law of drag_lift.harp in NumPy, body by body ----


def drag_lift(m, d, body, coefficients):
    """Returns the force and torque on a body, in the world's axes."""
    density, viscosity, plate, magnus = coefficients
    six = np.zeros(6)
    mujoco.mj_objectVelocity(m, d, mujoco.mjtObj.mjOBJ_BODY, body, six, 0)
    axes = d.ximat[body].reshape(3, 3)
    spin, velocity = axes.T @ six[:3], axes.T @ (six[3:] - m.opt.wind)
    inertia, mass = m.body_inertia[body], m.body_mass[body]
    size = np.sqrt((inertia.sum() - 2 * inertia) / mass * 6)
    diameter, speed = size.mean(), np.linalg.norm(velocity)
    area = size.prod() / size
    fourth = size**4
    force = -velocity * (0.5 * density * np.abs(velocity) * area + 3 * np.pi * diameter * viscosity)
    torque = -spin * (density * size * (fourth.sum() - fourth) * np.abs(spin) / 64 + np.pi * diameter**3 * viscosity)
    force -= 0.5 * plate * density * (speed * area * velocity - velocity * (area @ velocity**2) / speed)
    force += magnus * density * size.prod() * np.cross(spin, velocity)
    return axes @ force, axes @ torque


def generalised(m, d, of_body):
    """Returns the generalised forces of the forces and torques that of_body returns, computed by MuJoCo's mj_applyFT."""
    total = np.zeros(m.nv)
    for body in range(1, m.nbody):
        force, torque = of_body(body)
        mujoco.mj_applyFT(m, d, force, torque, d.xipos[body], body, total)
    return total


def difference(a, b):
    return np.abs(a - b).max() / np.abs(b).max()


class Failure(Exception):
    pass


def expect(condition, text):
    if not condition:
        raise Failure(text)


# ---- checks ----


def check_oracle():
    m = model(instance(law=LAW, potential=WEIGHTS, coefficients=numbers(COEFFICIENTS)))
    d = moving(m)
    pull = network_force(np.load(WEIGHTS), d.xipos)

    def of_body(body):
        force, torque = drag_lift(m, d, body, COEFFICIENTS)
        return force + pull[body], torque

    off = difference(d.qfrc_passive, generalised(m, d, of_body))
    expect(off < 1e-12, f"differs from NumPy by {off:.1e} of the largest force")
    return f"{m.nbody - 1} bodies, {m.nv} joint coordinates: within {off:.1e} of NumPy (drag, lift, network)"


def check_own_drag():
    """Without lift, the law gives the same forces as MuJoCo's own model of drag."""
    ours = moving(model(instance(law=LAW, coefficients=numbers((1.2, 0.05, 0, 0)))))
    own = moving(model(option='density="1.2" viscosity="0.05"'))
    off = difference(ours.qfrc_passive, own.qfrc_passive)
    expect(off < 1e-12, f"differs from MuJoCo's by {off:.1e} of the largest force")
    return f"drag alone: within {off:.1e} of what MuJoCo computes itself"


def check_lift():
    """Lift is at right angles to the motion through the fluid, so it does no work."""
    m = model(instance(law=LAW, coefficients=numbers((1.2, 0, 0.8, 0.5))), chains=0, free=100)
    plain = model(instance(law=LAW, coefficients=numbers((1.2, 0, 0, 0))), chains=0, free=100)
    d, without = moving(m), moving(plain)
    lift = (d.qfrc_passive - without.qfrc_passive).reshape(-1, 6)[:, :3]  # force on the free joint of each body, in the world's axes
    through = d.qvel.reshape(-1, 6)[:, :3] - m.opt.wind
    work = np.abs((lift * through).sum(1)) / (np.linalg.norm(lift, axis=1) * np.linalg.norm(through, axis=1))
    expect(np.linalg.norm(lift, axis=1).min() > 0, "there is a body without lift")
    expect(work.max() < 1e-10, f"lift does work: cosine of the angle with the motion {work.max():.1e}")
    return f"lift does no work: cosine of its angle with the motion at most {work.max():.0e}"


def check_training():
    """The weights in potential.npy are those of a trained network: at points that were not used for training, its energy is close to the
    intended one."""
    x = np.random.default_rng(5).uniform(-2, 2, (2000, 3))
    wanted = target(x)
    off = np.sqrt(np.mean((network_energy(np.load(WEIGHTS), x) - wanted) ** 2)) / wanted.std()
    expect(off < 0.06, f"the network is off by {off:.3f} of the energy's spread; train.py trains it")
    return f"the network's energy: root mean square error {off:.3f} of its spread"


def total_energy(m, d, weights):
    mujoco.mj_energyVel(m, d)
    return d.energy[1] + network_energy(weights, d.xipos[1:]).sum()


def check_energy(steps=2500):
    """Free bodies start at rest in the network's potential. With a fourth-order integrator, the sum of their kinetic and potential energy
    stays the same."""
    weights = np.load(WEIGHTS)
    m = model(instance(potential=WEIGHTS), option='integrator="RK4"', chains=0, free=50, spread=0.8)
    d = mujoco.MjData(m)
    mujoco.mj_forward(m, d)
    first, drift, most = total_energy(m, d, weights), 0.0, 0.0
    for _ in range(steps):
        mujoco.mj_step(m, d)
        mujoco.mj_forward(m, d)
        drift = max(drift, abs(total_energy(m, d, weights) - first))
        most = max(most, d.energy[1])
    expect(most > 1, f"the bodies do not move: kinetic energy at most {most}")
    expect(drift < 1e-6 * most, f"energy drifts by {drift / most:.1e} of the largest kinetic energy in {steps} steps")
    return f"energy in the network's potential: drifts by {drift / most:.1e} of the kinetic energy ({most:.1f}) in {steps} steps"


def check_loss(steps=400):
    """With drag in a fluid at rest, the energy only decreases."""
    weights = np.load(WEIGHTS)
    m = model(instance(potential=WEIGHTS, law=LAW, coefficients=numbers(COEFFICIENTS)), chains=0, free=50, spread=0.8)
    m.opt.wind[:] = 0
    d = mujoco.MjData(m)
    d.qvel[:] = np.random.default_rng(11).normal(0, 0.5, m.nv)
    mujoco.mj_forward(m, d)
    m.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    energies = []
    for _ in range(steps):
        energies.append(total_energy(m, d, weights))
        mujoco.mj_step(m, d)
        mujoco.mj_forward(m, d)
    expect(np.all(np.diff(energies) < 0), "energy grows in spite of drag")
    return f"with drag: energy falls in each of {steps} steps, from {energies[0]:.2f} to {energies[-1]:.2f}"


# ---- how long ----

IDLE = """harp 1
# A law without arithmetic: what is left is the plug-in and the call.
graph idle(xipos: f64[n, 3]) {
  return force = transpose(xipos, [1, 0])
}
"""


def passive_us(rounds, models):
    """Returns the median microseconds of mj_passive for each model. The calls for the models are interleaved, in batches of only ten calls,
    which other processes seldom interrupt."""
    data = [moving(m) for m in models]
    times = np.empty((rounds, len(models)))
    for r in range(rounds):
        for i, (m, d) in enumerate(zip(models, data)):
            begin = time.perf_counter_ns()
            for _ in range(10):
                mujoco.mj_passive(m, d)
            times[r, i] = (time.perf_counter_ns() - begin) / 1e4
    return np.median(times, axis=0)


def check_time(rounds=500):
    with tempfile.TemporaryDirectory() as name:
        idle = Path(name) / "idle.harp"
        idle.write_text(IDLE, encoding="utf-8")
        fluid = {"law": LAW, "coefficients": numbers(COEFFICIENTS)}
        cases = {"overhead": model(instance(law=idle)), "drag and lift": model(instance(**fluid)),
                 "network": model(instance(potential=WEIGHTS)), "all": model(instance(**fluid, potential=WEIGHTS)),
                 "MuJoCo's own drag": model(option='density="1.2" viscosity="0.05"')}
        times = passive_us(rounds, [model(), *cases.values()])
    bodies = cases["overhead"].nbody - 1
    figures = ", ".join(f"{name} {t - times[0]:.1f}" for name, t in zip(cases, times[1:]))
    return f"microseconds a step for {bodies} bodies: {figures}"


# ---- missing or wrong files: the plug-in warns, and the simulation continues ----

BROKEN = """harp 1
graph broken(xipos: f64[n, 3], cvel: f64[n, 6]) {
  return force = xipos + cvel
}
"""
UNKNOWN = """harp 1
graph unknown(colour: f64[n, 3]) {
  return force = transpose(colour, [1, 0])
}
"""


def said(plugin, attributes, **environment):
    """Returns the output of a process that makes a plug-in instance with these attributes and does a step."""
    code = ("import sys, mujoco; sys.path.insert(0, sys.argv[1]); import check; mujoco.mj_loadPluginLibrary(sys.argv[2]);"
            "m = check.model(check.instance(**eval(sys.argv[3]))); d = check.moving(m); mujoco.mj_step(m, d);"
            "print('force', abs(d.qfrc_passive).max() > 0, 'time', d.time)")
    with tempfile.TemporaryDirectory() as scratch:
        run = subprocess.run([sys.executable, "-c", code, str(HERE), plugin, repr({k: str(v) for k, v in attributes.items()})], cwd=scratch,
                             env={**os.environ, "HARP_CACHE_DIR": scratch, **environment}, capture_output=True, text=True, check=False)
    expect(run.returncode == 0, f"the host ended with status {run.returncode}: {run.stderr}")
    return run.stdout + run.stderr


def check_missing(plugin):
    fluid = {"law": LAW, "coefficients": numbers(COEFFICIENTS)}
    with tempfile.TemporaryDirectory() as name:
        broken, unknown = Path(name) / "broken.harp", Path(name) / "unknown.harp"
        broken.write_text(BROKEN, encoding="utf-8")
        unknown.write_text(UNKNOWN, encoding="utf-8")
        cases = [  # attributes; environment; expected text; whether forces act
            (fluid, {"HARP_LIBRARY": "/nonexistent/libharp.so"}, "cannot load the library harp", False),
            (fluid, {"PATH": "/nonexistent", "HARP_CC": "", "CC": ""}, "harp found no C compiler", True),
            ({"law": broken}, {}, "broken.harp: ", False),
            ({"law": unknown}, {}, 'there is no array "colour"', False),
            ({"law": Path(name) / "none.harp"}, {}, "cannot read", False),
            ({"law": LAW, "coefficients": "1 2 3"}, {}, "coefficients: expected 4 numbers", False),
            ({"potential": LAW}, {}, "the weights of the potential", False),
            ({}, {}, "expected the attribute law or potential", False)]
        for attributes, environment, words, force in cases:
            text = said(plugin, attributes, **environment)
            expect(words in text and f"force {force} time 0.002" in text, f"expected the warning \"{words}\" and force {force}, found: {text}")
    return f"{len(cases)} mistakes: a warning each, and the simulation goes on"


def main():
    arguments = [a for a in sys.argv[1:] if a != "--short"]
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    short, plugin = "--short" in sys.argv, str(Path(arguments[0]).resolve())
    mujoco.mj_loadPluginLibrary(plugin)
    print(f"MuJoCo {mujoco.__version__}")
    checks = [check_oracle, check_own_drag, check_lift, check_training, lambda: check_energy(200 if short else 2500),
              lambda: check_loss(50 if short else 400), lambda: check_missing(plugin)]
    if not short:
        checks.append(check_time)
    status = 0
    for check in checks:
        try:
            print("pass", check())
        except Failure as failure:
            status = 1
            print("fail", failure)
    return status


if __name__ == "__main__":
    sys.exit(main())
