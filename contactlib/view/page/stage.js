// The view: renderer, camera, lights and grid. It draws on request only, and gives up quality where it is slow.

import {
  Box3, BufferGeometry, Color, ColorManagement, Float32BufferAttribute, LinearSRGBColorSpace, LineBasicMaterial,
  LineSegments, MOUSE, PerspectiveCamera, Scene, Sphere, TOUCH, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { Matte } from "./shading.js";

const SLOW = 34; // ms per image; above it the next level is taken
const WINDOW = 24; // images of which the median is taken
// antialiasing, and device pixels per pixel of the page (at most those of the screen)
const LEVELS = [
  { antialias: true, ratio: 2 }, { antialias: false, ratio: 1 }, { antialias: false, ratio: 0.75 },
  { antialias: false, ratio: 0.5 },
];
// colours are those of the screen, so that no pixel is converted; shading.js converts at the corners of triangles
ColorManagement.enabled = false;
const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;

/** Directions from the centre to the camera. */
export const PRESETS = {
  iso: [1, -1.25, 0.8], front: [0, -1, 0], back: [0, 1, 0], left: [-1, 0, 0], right: [1, 0, 0], top: [0, -1e-3, 1],
  bottom: [0, -1e-3, -1],
};

/** Lines in the plane z = 0, `cells` to each side, in pieces: SwiftShader drops a line that ends behind the camera. */
function gridLines(cells, step, [axis, other]) {
  const PIECES = 8, size = cells * step, points = [], colours = [];
  for (let k = -cells; k <= cells; ++k) {
    const colour = new Color(k === 0 ? axis : other).toArray();
    for (let i = 0; i < PIECES; ++i) {
      const [a, b] = [i, i + 1].map((n) => size * ((2 * n) / PIECES - 1));
      points.push(a, k * step, 0, b, k * step, 0, k * step, a, 0, k * step, b, 0);
      for (let n = 0; n < 4; ++n) colours.push(...colour);
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute(points, 3));
  geometry.setAttribute("color", new Float32BufferAttribute(colours, 3));
  return new LineSegments(geometry, new LineBasicMaterial({ vertexColors: true }));
}

export class Stage {
  #pending = false;
  #last = 0;
  #times = [];
  #motion = null;
  #grid = null;

  constructor(holder) {
    this.holder = holder;
    this.scene = new Scene();
    this.camera = new PerspectiveCamera(35, 1, 0.01, 100);
    this.camera.up.set(0, 0, 1);
    this.bounds = new Sphere(new Vector3(), 1);
    this.beforeDraw = [];
    this.afterDraw = [];
    this.onQuality = () => {};
    this.level = 0;
    this.images = 0;
    this.#start();
    if (this.software) this.#degrade();
    // the camera's controls would take presses on the buttons above the image
    for (const name of ["pointerdown", "wheel"]) holder.addEventListener(name, (event) => {
      if (event.target !== this.renderer.domElement) event.stopImmediatePropagation();
    });
    this.controls = new OrbitControls(this.camera, holder);
    Object.assign(this.controls, { zoomToCursor: true, rotateSpeed: 0.9, zoomSpeed: 1.1 });
    this.controls.mouseButtons = { LEFT: MOUSE.ROTATE, MIDDLE: MOUSE.PAN, RIGHT: MOUSE.PAN };
    this.controls.touches = { ONE: TOUCH.ROTATE, TWO: TOUCH.DOLLY_PAN };
    this.controls.addEventListener("change", () => this.draw());
    this.controls.addEventListener("start", () => { this.#motion = null; });
    new ResizeObserver(() => this.#resize()).observe(holder);
  }

  #start() {
    const { antialias } = LEVELS[this.level];
    this.renderer?.dispose();
    this.renderer?.domElement.remove();
    // an image without transparency, which the browser need not blend with what is behind it
    const canvas = document.createElement("canvas");
    const context = canvas.getContext("webgl2", { alpha: false, antialias, powerPreference: "high-performance" });
    this.renderer = new WebGLRenderer({ canvas, context });
    this.renderer.outputColorSpace = LinearSRGBColorSpace;
    this.renderer.domElement.className = "view";
    this.holder.prepend(this.renderer.domElement);
    const info = context.getExtension("WEBGL_debug_renderer_info");
    this.software = Boolean(info) && SOFTWARE.test(context.getParameter(info.UNMASKED_RENDERER_WEBGL));
    this.#resize();
  }

  /** Less quality, for the rest of the session. */
  #degrade() {
    if (this.level === LEVELS.length - 1) return;
    const before = LEVELS[this.level++];
    this.#times.length = 0;
    if (before.antialias !== LEVELS[this.level].antialias) this.#start();
    this.#resize();
    this.onQuality(this.level);
  }

  #resize() {
    const { clientWidth: width, clientHeight: height } = this.holder;
    if (!width || !height) return;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, LEVELS[this.level].ratio));
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.draw();
  }

  /** Draw at the next opportunity. */
  draw() {
    if (this.#pending) return;
    this.#pending = true;
    requestAnimationFrame((now) => this.#image(now));
  }

  #image(now) {
    this.#pending = false;
    this.#measure(now);
    for (const action of this.beforeDraw) action(now);
    this.#follow(now);
    const distance = this.camera.position.distanceTo(this.controls?.target ?? this.bounds.center);
    this.camera.near = Math.max(distance / 400, 1e-6);
    this.camera.far = distance * 4 + 60 * this.bounds.radius;
    this.camera.updateProjectionMatrix();
    this.renderer.render(this.scene, this.camera);
    ++this.images;
    for (const action of this.afterDraw) action(now);
  }

  #measure(now) {
    const length = now - this.#last;
    this.#last = now;
    if (!this.playing || length > 2000) return; // pauses between images are no measure
    this.#times.push(length);
    if (this.#times.length < WINDOW) return;
    const median = this.#times.sort((a, b) => a - b)[WINDOW / 2]; // single slow images count little
    this.#times.length = 0;
    if (median > SLOW) this.#degrade();
  }

  setTheme({ colours }) {
    this.scene.background = new Color(colours.background);
    Matte.setTheme({ colours });
    this.#grid?.removeFromParent();
    this.#grid = null;
    this.gridColours = [colours.gridAxis, colours.grid];
    this.#makeGrid();
    this.draw();
  }

  /** What the camera fits: a box around the bodies. Sets the grid below it. */
  setBounds(box) {
    this.box = box.isEmpty() ? new Box3(new Vector3(-1, -1, -1), new Vector3(1, 1, 1)) : box;
    this.box.getBoundingSphere(this.bounds);
    this.bounds.radius = Math.max(this.bounds.radius, 1e-6);
    this.#grid?.removeFromParent();
    this.#makeGrid();
  }

  #makeGrid() {
    if (!this.box || !this.gridColours) return;
    this.gridStep = 10 ** Math.floor(Math.log10(this.bounds.radius * 0.8));
    const cells = Math.ceil((3 * this.bounds.radius) / this.gridStep);
    this.#grid = gridLines(cells, this.gridStep, this.gridColours);
    const round = (x) => Math.round(x / this.gridStep) * this.gridStep;
    const { x, y } = this.bounds.center;
    this.#grid.position.set(round(x), round(y), this.box.min.z - 0.02 * this.bounds.radius);
    this.#grid.visible = this.gridShown ?? true;
    this.scene.add(this.#grid);
  }

  showGrid(on) {
    this.gridShown = on;
    if (this.#grid) this.#grid.visible = on;
    this.draw();
  }

  /** Look from a preset's direction, all in view. */
  look(name, smooth = true) {
    this.lookFrom(new Vector3(...PRESETS[name]), smooth);
  }

  /** All in view, from the present direction. */
  fit() {
    this.lookFrom(this.camera.position.clone().sub(this.controls.target));
  }

  lookFrom(direction, smooth = true) {
    const half = (this.camera.fov * Math.PI) / 360;
    const narrow = Math.atan(Math.tan(half) * Math.min(1, this.camera.aspect));
    const distance = this.bounds.radius / Math.sin(narrow);
    const end = this.bounds.center.clone().addScaledVector(direction.normalize(), distance);
    if (!smooth || matchMedia("(prefers-reduced-motion: reduce)").matches) {
      this.#motion = null;
      this.controls.target.copy(this.bounds.center);
      this.camera.position.copy(end);
      this.controls.update();
      this.draw();
      return;
    }
    const from = this.camera.position.clone(), target = this.controls.target.clone();
    this.#motion = { from, target, end, start: performance.now() };
    this.draw();
  }

  // a quarter of a second from one view to the next
  #follow(now) {
    if (!this.#motion) return;
    const { from, target, end, start } = this.#motion;
    const x = Math.min(1, Math.max(0, (now - start) / 250));
    const eased = x * x * (3 - 2 * x);
    this.controls.target.lerpVectors(target, this.bounds.center, eased);
    const length = (1 - eased) * from.distanceTo(target) + eased * end.distanceTo(this.bounds.center);
    const direction = from.clone().sub(target).normalize()
      .lerp(end.clone().sub(this.bounds.center).normalize(), eased).normalize();
    this.camera.position.copy(this.controls.target).addScaledVector(direction, length);
    if (x === 1) this.#motion = null;
    this.controls.update();
    this.draw();
  }
}
