// for the compiler of tests/masters/test_modelica.py, which cannot read the library itself: names and signs are those of
// version 4.0.0, the contents only what is needed.
package Modelica "The classes of the Modelica Standard Library that contactlib.mo uses, written again with their equations"
  package Mechanics
    package MultiBody
      package Frames
        record Orientation
          Real T[3, 3];
          Real w[3];
        end Orientation;
        function resolve1
          input Orientation R;
          input Real v2[3];
          output Real v1[3];
        algorithm
          v1 := transpose(R.T) * v2;
        end resolve1;
        function resolve2
          input Orientation R;
          input Real v1[3];
          output Real v2[3];
        algorithm
          v2 := R.T * v1;
        end resolve2;
        function angularVelocity1
          input Orientation R;
          output Real w[3];
        algorithm
          w := transpose(R.T) * R.w;
        end angularVelocity1;
        function to_Q
          input Orientation R;
          output Real Q[4];
        protected
          Real s;
        algorithm
          s := sqrt(1 + R.T[1, 1] + R.T[2, 2] + R.T[3, 3]) / 2;
          Q := {(R.T[2, 3] - R.T[3, 2]) / (4 * s), (R.T[3, 1] - R.T[1, 3]) / (4 * s), (R.T[1, 2] - R.T[2, 1]) / (4 * s), s};
        end to_Q;
        function from_Q
          input Real Q[4];
          input Real w[3];
          output Orientation R;
        algorithm
          R.T := [2*(Q[1]*Q[1] + Q[4]*Q[4]) - 1, 2*(Q[1]*Q[2] + Q[3]*Q[4]), 2*(Q[1]*Q[3] - Q[2]*Q[4]);
                  2*(Q[2]*Q[1] - Q[3]*Q[4]), 2*(Q[2]*Q[2] + Q[4]*Q[4]) - 1, 2*(Q[2]*Q[3] + Q[1]*Q[4]);
                  2*(Q[3]*Q[1] + Q[2]*Q[4]), 2*(Q[3]*Q[2] - Q[1]*Q[4]), 2*(Q[3]*Q[3] + Q[4]*Q[4]) - 1];
          R.w := w;
        end from_Q;
        function axesRotationsAngles
          input Orientation R;
          input Integer sequence[3];
          output Real angles[3];
        algorithm
          angles := {atan2(-R.T[3, 2], R.T[3, 3]), asin(R.T[3, 1]), atan2(-R.T[2, 1], R.T[1, 1])};
        end axesRotationsAngles;
        function axesRotations
          input Real a[3];
          output Real T[3, 3];
        algorithm
          T := [cos(a[3]), sin(a[3]), 0; -sin(a[3]), cos(a[3]), 0; 0, 0, 1]
             * [cos(a[2]), 0, -sin(a[2]); 0, 1, 0; sin(a[2]), 0, cos(a[2])]
             * [1, 0, 0; 0, cos(a[1]), sin(a[1]); 0, -sin(a[1]), cos(a[1])];
        end axesRotations;
      end Frames;
      model World
        parameter Real g = 0 "9.81 in the library; the compiler of the test ignores modifiers of inner components";
        parameter Real n[3] = {0, -1, 0};
        parameter Boolean enableAnimation = true;
      end World;
      package Parts
        model Body
          Interfaces.Frame_a frame_a;
          outer World world;
          parameter Real m;
          parameter Real r_CM[3];
          parameter Real I_11;
          parameter Real I_22;
          parameter Real I_33;
          parameter Real I_21 = 0;
          parameter Real I_31 = 0;
          parameter Real I_32 = 0;
          parameter Real I[3, 3] = [I_11, I_21, I_31; I_21, I_22, I_32; I_31, I_32, I_33];
          parameter Boolean angles_fixed = false;
          parameter Real angles_start[3] = {0, 0, 0};
          parameter Boolean w_0_fixed = false;
          parameter Real w_0_start[3] = {0, 0, 0};
          parameter Boolean animation = true;
          Real r_0[3];
          Real v_0[3];
          Real Q[4];
          Real w_a[3];
          Real a_0[3];
          Real z_a[3];
          Real T[3, 3];
        initial equation
          Q = Frames.to_Q(Frames.Orientation(Frames.axesRotations(angles_start), {0, 0, 0}));
          w_a = Frames.axesRotations(angles_start) * w_0_start;
        equation
          T = [2*(Q[1]*Q[1] + Q[4]*Q[4]) - 1, 2*(Q[1]*Q[2] + Q[3]*Q[4]), 2*(Q[1]*Q[3] - Q[2]*Q[4]);
               2*(Q[2]*Q[1] - Q[3]*Q[4]), 2*(Q[2]*Q[2] + Q[4]*Q[4]) - 1, 2*(Q[2]*Q[3] + Q[1]*Q[4]);
               2*(Q[3]*Q[1] + Q[2]*Q[4]), 2*(Q[3]*Q[2] - Q[1]*Q[4]), 2*(Q[3]*Q[3] + Q[4]*Q[4]) - 1];
          frame_a.r_0 = r_0;
          frame_a.R.T = T;
          frame_a.R.w = w_a;
          der(r_0) = v_0;
          der(v_0) = a_0;
          der(w_a) = z_a;
          der(Q[1]) = 0.5 * (Q[4]*w_a[1] + Q[2]*w_a[3] - Q[3]*w_a[2]);
          der(Q[2]) = 0.5 * (Q[4]*w_a[2] + Q[3]*w_a[1] - Q[1]*w_a[3]);
          der(Q[3]) = 0.5 * (Q[4]*w_a[3] + Q[1]*w_a[2] - Q[2]*w_a[1]);
          der(Q[4]) = -0.5 * (Q[1]*w_a[1] + Q[2]*w_a[2] + Q[3]*w_a[3]);
          frame_a.f = m * (T * (a_0 - world.g * world.n) + cross(z_a, r_CM) + cross(w_a, cross(w_a, r_CM)));
          frame_a.t = I * z_a + cross(w_a, I * w_a) + cross(r_CM, frame_a.f);
        end Body;
      end Parts;
      package Interfaces
        connector Frame_a
          Real r_0[3];
          Frames.Orientation R;
          flow Real f[3];
          flow Real t[3];
        end Frame_a;
      end Interfaces;
    end MultiBody;
  end Mechanics;
end Modelica;
