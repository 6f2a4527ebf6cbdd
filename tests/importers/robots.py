"""One robot as MJCF, URDF and SDF: a base, a turned arm with a mesh, a finger on a fixed joint; and its mesh file."""

from pathlib import Path

#: an L of two boxes, 2 x 1 x 3 units with a notch, closed, counter-clockwise from outside
OUTLINE = ((0, 0), (3, 0), (3, 1), (1, 1), (1, 2), (0, 2))
CAPS = ((0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5))


def l_profile() -> str:
    """The text of an OBJ file: OUTLINE extruded to z = 0 and 1."""
    n = len(OUTLINE)
    rows = [f"v {x} {y} {z}" for z in (0, 1) for x, y in OUTLINE]
    faces = [(c, b, a) for a, b, c in CAPS] + [(a + n, b + n, c + n) for a, b, c in CAPS]
    for i in range(n):
        j = (i + 1) % n
        faces += [(i, j, j + n), (i, j + n, i + n)]
    return "\n".join([*rows, *(f"f {a + 1} {b + 1} {c + 1}" for a, b, c in faces)]) + "\n"


MJCF = """<mujoco model="robot">
  <compiler angle="radian" meshdir="meshes"/>
  <default><geom friction="0.6"/><default class="rubber"><geom friction="0.9" material="rubber"/></default></default>
  <asset><material name="rubber"/><material name="steel"/><mesh name="bracket" file="bracket.obj" scale="0.1 0.1 0.1"/>
  </asset>
  <include file="floor.xml"/>
  <worldbody>
    <body name="base" pos="0 0 0.5" euler="0.1 0.2 0.3"><freejoint/>
      <inertial pos="0.01 0.02 0.03" mass="3" fullinertia="0.03 0.04 0.05 0.001 0.002 0.003"/>
      <geom name="hull" type="box" size="0.1 0.2 0.15" pos="0.05 0 0" euler="0 0.4 0" material="steel"/>
      <geom type="ellipsoid" size="0.1 0.2 0.3" contype="0" conaffinity="0" mass="0"/>
      <body name="arm" pos="0 0.3 0.1" quat="0.9 0.1 0.3 0.2"><joint name="shoulder" axis="1 0 0"/>
        <geom name="upper" type="capsule" fromto="0 0 0 0.1 0.2 0.3" size="0.03" class="rubber"/>
        <geom name="bracket" type="mesh" mesh="bracket" pos="0.3 0.1 0" euler="0.5 0.2 0.1" material="steel"/>
        <body name="finger" pos="0.1 0.2 0.3" euler="0.3 0 0">
          <geom name="tip" type="cylinder" size="0.02 0.05" pos="0 0 0.05" euler="0.2 0 0.7" class="rubber"/>
        </body>
      </body>
    </body>
    <body name="ball" pos="2 0 1"><freejoint/><geom name="ball" type="sphere" size="0.1"/></body>
  </worldbody>
  <contact><exclude body1="base" body2="ball"/></contact>
  <actuator><motor name="drive" joint="shoulder"/></actuator>
</mujoco>
"""
FLOOR = '<mujoco><worldbody><geom name="ground" type="plane" size="1 1 1" euler="0.1 0 0"/></worldbody></mujoco>'

URDF = """<robot name="robot">
  <mujoco><compiler fusestatic="false" discardvisual="true" strippath="false" balanceinertia="false"/></mujoco>
  <material name="steel"><color rgba="1 1 1 1"/></material>
  <link name="base">
    <inertial><origin xyz="0.01 0.02 0.03" rpy="0.3 0.2 0.1"/><mass value="3"/>
      <inertia ixx="0.03" iyy="0.04" izz="0.05" ixy="0.001" ixz="0.002" iyz="0.003"/></inertial>
    <visual><geometry><sphere radius="1"/></geometry><material name="steel"/></visual>
    <collision name="hull"><origin xyz="0.05 0 0" rpy="0 0.4 0"/>
      <geometry><box size="0.2 0.4 0.3"/></geometry></collision>
  </link>
  <link name="arm">
    <inertial><origin xyz="0 0.1 0"/><mass value="1"/>
      <inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision name="bracket"><origin xyz="0.3 0.1 0" rpy="0.5 0.2 0.1"/>
      <geometry><mesh filename="meshes/bracket.obj" scale="0.1 0.1 0.1"/></geometry></collision>
    <collision><origin xyz="0 0 0.2"/><geometry><sphere radius="0.05"/></geometry></collision>
  </link>
  <link name="finger">
    <inertial><mass value="0.5"/><inertia ixx="0.001" iyy="0.001" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision name="tip"><origin xyz="0 0 0.05" rpy="0.2 0 0.7"/>
      <geometry><cylinder radius="0.02" length="0.1"/></geometry></collision>
  </link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="arm"/>
    <origin xyz="0 0.3 0.1" rpy="0.1 0.3 0.2"/><axis xyz="1 0 0"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="weld" type="fixed"><parent link="arm"/><child link="finger"/>
    <origin xyz="0.1 0.2 0.3" rpy="0.3 0 0"/></joint>
  <gazebo reference="arm"><mu1>0.4</mu1></gazebo>
</robot>
"""

SDF = """<sdf version="1.9"><model name="robot">
  <self_collide>true</self_collide>
  <frame name="elbow" attached_to="arm"><pose>0.1 0.2 0.3 0.3 0 0</pose></frame>
  <link name="base">
    <inertial><pose>0.01 0.02 0.03 0.3 0.2 0.1</pose><mass>3</mass>
      <inertia><ixx>0.03</ixx><iyy>0.04</iyy><izz>0.05</izz>
      <ixy>0.001</ixy><ixz>0.002</ixz><iyz>0.003</iyz></inertia></inertial>
    <visual name="look"><geometry><sphere><radius>1</radius></sphere></geometry>
      <material><script><name>Gazebo/Grey</name></script></material></visual>
    <collision name="hull"><pose degrees="true">0.05 0 0 0 22.918311805232928 0</pose>
      <geometry><box><size>0.2 0.4 0.3</size></box></geometry></collision>
  </link>
  <link name="arm"><pose relative_to="base">0 0.3 0.1 0.1 0.3 0.2</pose>
    <inertial><pose>0 0.1 0 0 0 0</pose><mass>1</mass><inertia><ixx>0.01</ixx><iyy>0.02</iyy><izz>0.02</izz></inertia>
    </inertial>
    <collision name="bracket"><pose>0.3 0.1 0 0.5 0.2 0.1</pose><geometry><mesh><uri>model://robot/meshes/bracket.obj</uri>
      <scale>0.1 0.1 0.1</scale></mesh></geometry>
      <surface><friction><ode><mu>0.4</mu></ode></friction></surface></collision>
    <collision name="round"><pose>0 0 0.2 0 0 0</pose>
      <geometry><sphere><radius>0.05</radius></sphere></geometry></collision>
    <collision name="cone"><geometry><cone><radius>1</radius><length>1</length></cone></geometry></collision>
  </link>
  <link name="finger"><pose relative_to="elbow"/>
    <inertial><mass>0.5</mass><inertia><ixx>0.001</ixx><iyy>0.001</iyy><izz>0.001</izz></inertia></inertial>
    <collision name="tip"><pose>0 0 0.05 0.2 0 0.7</pose><geometry><cylinder><radius>0.02</radius><length>0.1</length>
      </cylinder></geometry></collision>
  </link>
  <joint name="shoulder" type="revolute"><parent>base</parent><child>arm</child><axis><xyz>1 0 0</xyz></axis></joint>
  <joint name="weld" type="fixed"><parent>arm</parent><child>finger</child></joint>
</model></sdf>
"""


def write_robots(folder: Path) -> None:
    (folder / "meshes").mkdir()
    (folder / "meshes" / "bracket.obj").write_text(l_profile())
    for name, text in (("robot.xml", MJCF), ("floor.xml", FLOOR), ("robot.urdf", URDF), ("robot.sdf", SDF)):
        (folder / name).write_text(text)
