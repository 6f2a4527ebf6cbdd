// The look of surfaces: matte, lit by the sky and by a lamp beside the camera. Light is computed at the corners of the
// triangles, because browsers without a graphics processor spend most of their time on pixels.

import { Color, DoubleSide, ShaderMaterial } from "three";

/** Colour of the light from below; the theme sets it. The light from above is white. */
const ground = { value: new Color() };

const LIGHT = `
  uniform vec3 linear, glow, ground;
  // Lambert's law: reflected light = albedo / pi * (lamp max(0, n.l) + mean light of the half space around n)
  vec3 lit(vec3 n) {
    const vec3 lamp = normalize(vec3(-0.6, 0.9, 1.6)); // in the axes of the camera
    vec3 around = mix(ground, vec3(1.0), 0.5 + 0.5 * dot(n, viewMatrix[2].xyz));
    vec3 light = linear * (1.7 * max(0.0, dot(n, lamp)) + 1.9 * around) / 3.14159265 + glow;
    return mix(12.92 * light, 1.055 * pow(light, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, light)); // sRGB
  }`;
const SMOOTH = [`${LIGHT}
  varying vec3 front, back;
  void main() {
    vec3 n = normalize(normalMatrix * normal);
    front = lit(n);
    back = lit(-n);
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  }`, `
  uniform float opacity;
  varying vec3 front, back;
  void main() { gl_FragColor = vec4(gl_FrontFacing ? front : back, opacity); }`];
// surfaces without normals, each triangle with one colour
const FLAT = [`
  varying vec3 place;
  void main() {
    vec4 p = modelViewMatrix * vec4(position, 1.0);
    place = p.xyz;
    gl_Position = projectionMatrix * p;
  }`, `${LIGHT}
  uniform float opacity;
  varying vec3 place;
  void main() { gl_FragColor = vec4(lit(normalize(cross(dFdx(place), dFdy(place)))), opacity); }`];

/** A material with color, emissive and emissiveIntensity, as three.js has them, in sRGB. */
export class Matte extends ShaderMaterial {
  constructor({ flat = false, ...options } = {}) {
    const [vertexShader, fragmentShader] = flat ? FLAT : SMOOTH;
    const uniforms = { linear: { value: new Color() }, glow: { value: new Color() }, opacity: { value: 1 }, ground };
    super({ vertexShader, fragmentShader, uniforms, side: DoubleSide, forceSinglePass: false, ...options });
    Object.assign(this, { color: new Color(), emissive: new Color(), emissiveIntensity: 0 });
  }

  onBeforeRender() {
    const { linear, glow, opacity } = this.uniforms;
    linear.value.copySRGBToLinear(this.color);
    glow.value.copySRGBToLinear(this.emissive).multiplyScalar(this.emissiveIntensity);
    opacity.value = this.opacity;
    this.uniformsNeedUpdate = true;
  }

  static setTheme({ colours }) {
    ground.value.set(colours.ground).convertSRGBToLinear();
  }
}
