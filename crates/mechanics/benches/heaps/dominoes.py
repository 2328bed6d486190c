"""Dominoes in a row in MuJoCo: the scene of the same name in main.rs. Prints the processor time of a step, s, the number of fallen dominoes and
the deepest penetration at the end, m."""

import sys
import time

import mujoco

count, step, steps = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
body = """<body pos="{x} 0 0.5"><freejoint/><geom type="box" size="0.1 0.25 0.5" density="1000"/></body>"""
bodies = "".join(body.format(x=0.5 * k) for k in range(count))
xml = f"""<mujoco><option timestep="{step}" gravity="0 0 -9.81" cone="elliptic" integrator="Euler"/>
<default><geom friction="0.5 0 0" condim="3"/></default>
<worldbody><geom type="plane" size="0 0 1"/>{bodies}</worldbody></mujoco>"""
model = mujoco.MjModel.from_xml_string(xml)
best = float("inf")
for _ in range(3):
    data = mujoco.MjData(model)
    data.qvel[0], data.qvel[4] = 1.0, 3.0
    start = time.process_time()
    for _ in range(steps):
        mujoco.mj_step(model, data)
    best = min(best, time.process_time() - start)
fallen = sum(1 for k in range(count) if data.qpos[7 * k + 2] < 0.45)
depth = max([-c.dist for c in data.contact[: data.ncon]], default=0.0)
print(best / steps, fallen, max(depth, 0.0))
