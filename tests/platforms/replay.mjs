// Runs a scene along the input signals of `contactlib hash` and returns its outputs, as replay.c does.
//
//   node replay.mjs CONTACTLIB.MJS CONTACTLIB.WASM OUTPUTS      in a folder with model.bin and inputs.bin
//
// A page imports `replay` instead.

/** The outputs of a run as bytes: after each step the reals as doubles, then the integers as 32 bits. */
export function replay(scene, inputs) {
  const view = new DataView(inputs.buffer, inputs.byteOffset, inputs.byteLength);
  const magic = String.fromCharCode(...inputs.subarray(0, 8));
  if (magic !== "CLINPUT1") throw new Error(`inputs.bin begins with ${magic}: must begin with CLINPUT1`);
  const [steps, ...sizes] = [48, 52, 56, 60, 64].map((at) => view.getUint32(at, true));
  const h = view.getFloat64(72, true);
  let at = 80;
  const names = (n) => Array.from({ length: n }, () => scene.variables[view.getUint32((at += 4) - 4, true)].name);
  const [reals, integers, realOutputs, integerOutputs] = sizes.map(names);
  for (const name of integers) scene.set(name, view.getInt32((at += 4) - 4, true));
  const given = scene.block(reals);
  const taken = scene.block(realOutputs);
  const outputs = new Uint8Array(steps * (8 * realOutputs.length + 4 * integerOutputs.length));
  const out = new DataView(outputs.buffer);
  let end = 0;
  for (let k = 0; k < steps; ++k) {
    for (let i = 0; i < reals.length; ++i) given.values[i] = view.getFloat64((at += 8) - 8, true);
    given.write();
    scene.step(h);
    for (const value of taken.read()) out.setFloat64((end += 8) - 8, value, true);
    for (const name of integerOutputs) out.setInt32((end += 4) - 4, scene.get(name), true);
  }
  return outputs;
}

if (typeof process !== "undefined" && process.argv?.[1]?.endsWith("replay.mjs")) {
  const { readFile, writeFile } = await import("node:fs/promises");
  const { pathToFileURL } = await import("node:url");
  const [library, wasm, file] = process.argv.slice(2);
  const { ContactScene } = await import(pathToFileURL(library).href);
  const scene = await ContactScene.load("model.bin", { wasm });
  await writeFile(file, replay(scene, await readFile("inputs.bin")));
}
