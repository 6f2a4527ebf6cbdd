// Tests of contactlib.mjs in node: node --test contactlib.test.mjs, with the files in the environment (test_web.py).
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const { CONTACTLIB, WASM, MODEL, OTHER, EXPECTED } = process.env;
const { ContactError, ContactScene } = await import(pathToFileURL(CONTACTLIB).href);
const model = new Uint8Array(await readFile(MODEL));
const expected = JSON.parse(await readFile(EXPECTED, "utf8"));
const load = (options = {}) => ContactScene.load(model, { wasm: WASM, ...options });
const hex = (bytes) => Buffer.from(bytes).toString("hex");

// What a call refuses: a ContactError with these words.
function refused(call, ...words) {
  assert.throws(call, (error) => {
    assert.ok(error instanceof ContactError, String(error));
    for (const word of words) assert.ok(error.message.includes(word), `"${word}" is not in: ${error.message}`);
    return true;
  });
}

// Presses the four pins of the scene against their holes.
function press(scene, steps = 50) {
  for (let k = 0; k < steps; ++k) {
    scene.setState("interface", { r: [0, 4e-4 + 1e-6 * k, 0.03], v: [0, 1e-3, 0] });
    scene.step(1e-3);
  }
  return scene;
}

test("the module asks for nothing but the three functions of stderr, and may have as much memory as it needs", async () => {
  const imports = WebAssembly.Module.imports(await WebAssembly.compile(await readFile(WASM)));
  assert.deepEqual(imports.map(({ name }) => name).sort(), ["fd_close", "fd_seek", "fd_write"]);
});

test("a wrench has the bits of the Python module", async () => {
  const scene = await load();
  assert.deepEqual(scene.bodies, expected.bodies);
  assert.equal(scene.hash, expected.hash);
  scene.setState("interface", expected.state);
  const { force, torque } = scene.wrench("interface");
  assert.deepEqual([...force, ...torque], expected.wrench);
  assert.ok(Math.hypot(...force) > 1);
  assert.equal(scene.get("contact.count"), expected.count);
});

test("the variable table is that of the model", async () => {
  const scene = await load();
  assert.deepEqual(
    scene.variables.map(({ name, unit, causality, type, start, tunable, description }) =>
      ({ name, unit, causality, type, start, tunable, description })), expected.variables);
});

test("variables can be read and set, alone and all components", async () => {
  const scene = await load();
  scene.set("interface.r", [0.1, 0.2, 0.3]);
  assert.deepEqual(scene.get("interface.r"), [0.1, 0.2, 0.3]);
  scene.set("interface.r[2]", 0.5);
  assert.equal(scene.get("interface.r[2]"), 0.5);
  scene.set("pin_hole.stiffness", 6e4);
  assert.equal(scene.get("pin_hole.stiffness"), 6e4);
  scene.set("wrench_output", 2);
  assert.equal(scene.get("wrench_output"), 2);
  assert.deepEqual(scene.state("interface").r, [0.1, 0.5, 0.3]);
});

test("mistakes are sentences", async () => {
  const scene = await load();
  refused(() => scene.get("interfase.r"), "no variable 'interfase.r'", "did you mean 'interface.");
  refused(() => scene.set("pin_hole.stifness", 1), "did you mean 'pin_hole.stiffness'?");
  refused(() => scene.set("interface.r", [1, 2]), "'interface.r' takes 3 numbers, not [1,2]");
  refused(() => scene.set("interface.r[1]", "1"), "takes 1 number, not \"1\"");
  refused(() => scene.set("interface.r[1]", undefined), "takes 1 number");
  refused(() => scene.set("interface.r[1]", NaN), "interface.r[1]", "finite");
  refused(() => scene.set("pin_hole.stiffness", -1), "pin_hole.stiffness", "-1");
  refused(() => scene.set("interface.f[1]", 1), "is an output and cannot be set");
  refused(() => scene.set("wrench_output", 1.5), "an integer of 32 bits, not 1.5");
  refused(() => scene.set("wrench_output", 9), "wrench_output", "9");
  refused(() => scene.setState("interfaces", {}), "no body 'interfaces'; it has interface, target");
  refused(() => scene.setState("interface", { p: [1] }), "has no 'p'; the parts are r, q, v, w");
  refused(() => scene.setState("interface", { q: [1, 0, 0] }), "'interface.q' takes 4 numbers, not [1,0,0]");
  refused(() => scene.block(["contact.count"]), "'contact.count' is an integer; use get and set");
  for (const h of [-1, 0, NaN, Infinity, "1", undefined]) refused(() => scene.step(h), "must be positive and finite");
  scene.set("wrench_output", 1); // a refused step does not end the initialization
  scene.step(1e-3);
  refused(() => scene.set("wrench_output", 2), "is a fixed parameter");
});

test("a step that is refused changes nothing", async () => {
  const [scene, twin] = [press(await load()), press(await load())];
  scene.setState("interface", { q: [2, 0, 0, 0] });
  refused(() => scene.step(1e-3), "quaternion of body 'interface'");
  assert.equal(scene.time, twin.time);
  scene.setState("interface", { q: twin.state("interface").q });
  assert.equal(hex(press(scene).save()), hex(press(twin).save()));
});

test("a file that is no model is refused", async () => {
  await assert.rejects(load().then(() => ContactScene.load(model.slice(0, 900), { wasm: WASM })), /model\.bin is not valid/);
  await assert.rejects(ContactScene.load(new Uint8Array(0), { wasm: WASM }), ContactError);
  const damaged = model.slice();
  damaged[damaged.length >> 1] ^= 1;
  await assert.rejects(ContactScene.load(damaged, { wasm: WASM }), /model\.bin is not valid/);
  await assert.rejects(ContactScene.load("/nowhere/model.bin", { wasm: WASM }), /ENOENT/);
});

test("save and restore repeat the bits, here and in another instance", async () => {
  const scene = press(await load());
  const before = scene.save();
  const time = scene.time;
  const once = hex(press(scene).save());
  assert.notEqual(once, hex(before));
  scene.restore(before);
  assert.equal(scene.time, time);
  assert.equal(hex(scene.save()), hex(before));
  assert.equal(hex(press(scene).save()), once);
  const other = await load();
  other.restore(before);
  assert.equal(hex(press(other).save()), once);
});

test("a saved state has the bytes of linux64", async () => {
  assert.equal(hex(press(await load()).save()), expected.saved);
});

test("bytes that are no state of this scene are refused, and nothing changes", async () => {
  const scene = press(await load());
  const bytes = scene.save();
  refused(() => scene.restore(bytes.slice(0, 40)), "fmi2DeSerializeFMUstate");
  refused(() => scene.restore(new Uint8Array(bytes.length)), "are not a saved state");
  const damaged = bytes.slice();
  damaged[bytes.length - 9] ^= 4;
  refused(() => scene.restore(damaged), "fmi2DeSerializeFMUstate");
  const other = await ContactScene.load(OTHER, { wasm: WASM });
  refused(() => other.restore(bytes), "fmi2DeSerializeFMUstate");
  assert.equal(hex(scene.save()), hex(bytes));
});

test("reset returns to the start", async () => {
  const scene = await load();
  const start = hex(scene.save());
  press(scene);
  scene.reset();
  assert.equal(scene.time, 0);
  assert.equal(hex(scene.save()), start);
  assert.equal(hex(press(scene).save()), hex(press(await load()).save()));
});

test("the time begins where it is told", async () => {
  const scene = await load({ time: 3 });
  scene.step(0.25);
  assert.equal(scene.time, 3.25);
});

test("blocks keep their places when the memory grows", async () => {
  const scene = await load();
  const few = scene.block(["interface.r", "interface.v"]);
  few.values.set([0, 4e-4, 0.03, 0, 0, 0]);
  const many = scene.block(Array(200_000).fill("interface.r[3]"));
  few.write();
  assert.equal(many.read()[199_999], 0.03);
  assert.deepEqual([...few.read()], [0, 4e-4, 0.03, 0, 0, 0]);
  refused(() => {
    few.values[1] = NaN;
    few.write();
  }, "interface.r[2]", "finite");
  assert.equal(scene.get("interface.r[2]"), 4e-4);
});

test("an allocation that cannot be met is an error", async () => {
  const scene = await load();
  refused(() => scene.restore({ length: 2 ** 32 - 64, byteLength: 0 }), "no memory is left");
  press(scene);
});

test("warnings reach their function, each once", async () => {
  const sentences = [];
  const scene = await load({ onWarning: (sentence) => sentences.push(sentence) });
  for (let k = 0; k < 5; ++k) {
    scene.setState("interface", { r: [0, 0.02, 0.03] });
    scene.step(0.01);
  }
  assert.ok(sentences.length > 0);
  assert.equal(new Set(sentences).size, sentences.length);
});

test("a closed scene says so", async () => {
  const scene = await load();
  scene.close();
  refused(() => scene.step(1e-3), "the scene is closed: load it again");
  refused(() => scene.get("contact.count"), "closed");
});

test("scenes are independent of one another", async () => {
  const [a, b] = [await load(), await load()];
  press(a);
  assert.equal(b.time, 0);
  assert.equal(b.get("contact.count"), 0);
});
