within ;
package contactlib "Bodies of the Modelica MultiBody library in contact, which contactlib's FMU computes"
  connector Port "A body in the world: its state goes to the contact's FMU, the wrench comes back"
    output Real r[3](each unit = "m") "Position of the body's origin, in world axes";
    output Real q[4](each unit = "1") "Quaternion from body to world, scalar part first";
    output Real v[3](each unit = "m/s") "Velocity of the body's origin, in world axes";
    output Real w[3](each unit = "rad/s") "Angular velocity of the body, in world axes";
    input Real f_ext[3](each unit = "N") "Force of the contact at the body's origin, in world axes";
    input Real t_ext[3](each unit = "N.m") "Torque of the contact about the body's origin, in world axes";
  end Port;

  model FrameToPort "Gives the state of a MultiBody frame to a port, and applies the wrench of the port to the frame"
    import Modelica.Mechanics.MultiBody.Frames;
    Modelica.Mechanics.MultiBody.Interfaces.Frame_a frame_a "The body's origin and axes, as the scene has them";
    Port port;
  protected
    Real Q[4] "Quaternion of MultiBody: scalar part last";
  equation
    Q = Frames.to_Q(frame_a.R);
    port.r = frame_a.r_0;
    port.q = {Q[4], Q[1], Q[2], Q[3]};
    port.v = der(frame_a.r_0);
    port.w = Frames.angularVelocity1(frame_a.R);
    // a frame's f and t flow into the component: what acts on the body is negative
    frame_a.f = -Frames.resolve2(frame_a.R, port.f_ext);
    frame_a.t = -Frames.resolve2(frame_a.R, port.t_ext);
  end FrameToPort;

  model FreeBody "A rigid body that only the wrench of its port moves"
    parameter Real m(unit = "kg") "Mass";
    parameter Real com[3](each unit = "m") "Centre of mass, in body axes";
    parameter Real I[3, 3](each unit = "kg.m2") "Inertia about the centre of mass, in body axes";
    parameter Real r_start[3](each unit = "m") = {0, 0, 0} "Position of the origin at the start, in world axes";
    parameter Real q_start[4](each unit = "1") = {1, 0, 0, 0} "Quaternion at the start, scalar part first";
    parameter Real v_start[3](each unit = "m/s") = {0, 0, 0} "Velocity of the origin at the start, in world axes";
    parameter Real w_start[3](each unit = "rad/s") = {0, 0, 0} "Angular velocity at the start, in world axes";
    Port body "Named as in the FMUs of bodies that `contactlib fmu export --ssp` writes";
    Modelica.Mechanics.MultiBody.Parts.Body rigid(
      m = m,
      r_CM = com,
      I_11 = I[1, 1],
      I_22 = I[2, 2],
      I_33 = I[3, 3],
      I_21 = I[2, 1],
      I_31 = I[3, 1],
      I_32 = I[3, 2],
      r_0(start = r_start, each fixed = true),
      v_0(start = v_start, each fixed = true),
      angles_fixed = true,
      angles_start = Modelica.Mechanics.MultiBody.Frames.axesRotationsAngles(
        Modelica.Mechanics.MultiBody.Frames.from_Q({q_start[2], q_start[3], q_start[4], q_start[1]}, {0, 0, 0}),
        {1, 2, 3}),
      w_0_fixed = true,
      w_0_start = w_start,
      animation = false);
  protected
    FrameToPort adapter;
  equation
    connect(rigid.frame_a, adapter.frame_a);
    connect(adapter.port, body);
  end FreeBody;

  package Examples "The bodies of the scenes that ship; export each model as an FMU, or each FreeBody alone"
    model PegInHole "The moving bodies of the scene peg_in_hole: connect each port to the inputs and outputs of its FMU"
      inner Modelica.Mechanics.MultiBody.World world(g = 0, enableAnimation = false);
      Port interface;
      Port target;
      FreeBody interface_body(
        m = 10,
        com = {0, 0, 0.2},
        I = {{0.2667, 0, 0}, {0, 0.2667, 0}, {0, 0, 0.2667}},
        r_start = {0.0015, -0.001, 0.085},
        q_start = {0.9999809998179834, 0.005000000199093708, -0.003000000119456225, 0.0020000000796374833},
        v_start = {0, 0, -0.02},
        w_start = {0, 0, 0});
      FreeBody target_body(
        m = 100,
        com = {0, 0, -0.2},
        I = {{2.667, 0, 0}, {0, 2.667, 0}, {0, 0, 2.667}},
        r_start = {0, 0, 0},
        q_start = {1, 0, 0, 0},
        v_start = {0, 0, 0},
        w_start = {0, 0, 0});
    equation
      connect(interface_body.body, interface);
      connect(target_body.body, target);
    end PegInHole;

    model LeeSnare "The moving bodies of the scene lee_snare: connect each port to the inputs and outputs of its FMU"
      inner Modelica.Mechanics.MultiBody.World world(g = 0, enableAnimation = false);
      Port lee;
      Port grapple;
      FreeBody lee_body(
        m = 1800,
        com = {0, 0, -1.2},
        I = {{1500, 0, 0}, {0, 1500, 0}, {0, 0, 1200}},
        r_start = {0, 0, 0},
        q_start = {1, 0, 0, 0},
        v_start = {0, 0, 0},
        w_start = {0, 0, 0});
      FreeBody grapple_body(
        m = 20000,
        com = {0, 0, 3},
        I = {{84000, 0, 0}, {0, 84000, 0}, {0, 0, 48000}},
        r_start = {0.02, 0, 0.2},
        q_start = {0.9993908270191597, 0, 0, 0.034899496700669067},
        v_start = {0, 0, 0},
        w_start = {0, 0, 0});
    equation
      connect(lee_body.body, lee);
      connect(grapple_body.body, grapple);
    end LeeSnare;

    model Cbm "The moving bodies of the scene cbm: connect each port to the inputs and outputs of its FMU"
      inner Modelica.Mechanics.MultiBody.World world(g = 0, enableAnimation = false);
      Port passive;
      FreeBody passive_body(
        m = 13000,
        com = {0, 0, 3},
        I = {{54000, 0, 0}, {0, 54000, 0}, {0, 0, 28000}},
        r_start = {0, 0, 0.3},
        q_start = {1, 0, 0, 0},
        v_start = {0, 0, -0.03},
        w_start = {0, 0, 0});
    equation
      connect(passive_body.body, passive);
    end Cbm;

    model Trampoline "The moving bodies of the scene trampoline: connect each port to the inputs and outputs of its FMU"
      inner Modelica.Mechanics.MultiBody.World world(g = 0, enableAnimation = false);
      Port asteroid;
      Port bus;
      FreeBody asteroid_body(
        m = 1000000.0,
        com = {0, 0, 0},
        I = {{7405111.611769, 0, 0}, {0, 9745914.043587, 0}, {0, 0, 10614090.091743}},
        r_start = {0, 0, 12.3933017},
        q_start = {0.992475773186188, 0.06730699441262676, -0.10228200301918805, 0},
        v_start = {0, 0, 0},
        w_start = {0.00439990904756, 0.000541555244665, 0.0521718726275});
      FreeBody bus_body(
        m = 15000,
        com = {0, 0, 0},
        I = {{53437.5, 0, 0}, {0, 53437.5, 0}, {0, 0, 16875}},
        r_start = {0, 0, 0},
        q_start = {1, 0, 0, 0},
        v_start = {0, 0, 0.05},
        w_start = {0, 0, 0.0521718727});
    equation
      connect(asteroid_body.body, asteroid);
      connect(bus_body.body, bus);
    end Trampoline;
  end Examples;
  annotation(uses(Modelica(version = "4.0.0")));
end contactlib;
