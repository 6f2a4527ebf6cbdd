// The clock of a live run: play, pause, step, reset, speed. It has the interface of Player.

import { ContactError } from "./run.js";

const SPEEDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];
const LONGEST = 0.1; // s of the wall clock that one image may advance
const BUDGET = 25; // ms for the steps of one image

export class LivePlayer {
  #last = null;
  #listeners = [];
  #rate = { wall: 0, run: 0 };

  constructor(recording, stage) {
    Object.assign(this, { recording, stage, playing: false, time: recording.end, problem: "", reached: null });
    this.speeds = SPEEDS;
    this.speed = 1;
    stage.beforeDraw.push((now) => this.#advance(now));
  }

  follow(listener) {
    this.#listeners.push(listener);
  }

  #tell() {
    const place = this.recording.locate(this.time);
    for (const listener of this.#listeners) listener(place);
    this.stage.draw();
  }

  /** Run `action`; what the core refuses is shown, and ends the play. */
  attempt(action) {
    try {
      action();
      this.problem = "";
    } catch (error) {
      if (!(error instanceof ContactError)) throw error;
      this.problem = error.message;
      this.playing = this.stage.playing = false;
    }
  }

  #advance(now) {
    if (!this.playing) {
      this.#last = null;
      return;
    }
    const { recording } = this, { step } = recording;
    const seconds = this.#last === null ? 0 : Math.min(LONGEST, (now - this.#last) / 1000);
    this.#last = now;
    const wanted = this.time + seconds * this.speed, before = this.time;
    const count = Math.ceil((wanted - recording.end) / step - 1e-9);
    const limit = performance.now() + BUDGET;
    if (count > 0) this.attempt(() => recording.advance(count, () => performance.now() > limit));
    this.time = this.playing ? Math.min(wanted, recording.end) : recording.end;
    this.#measure(seconds, this.time - before);
    this.#tell();
  }

  // how fast the run is, over about a second of the wall clock
  #measure(wall, run) {
    const rate = this.#rate;
    rate.wall += wall;
    rate.run += run;
    if (rate.wall < 0.5) return;
    this.reached = rate.run / rate.wall;
    rate.wall = rate.run = 0;
  }

  play() {
    this.playing = this.stage.playing = true;
    this.#tell();
  }

  pause() {
    this.playing = this.stage.playing = false;
    this.reached = null;
    this.time = this.recording.end;
    this.#tell();
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  /** A live run has the present only: show it again. */
  seek() {
    if (!this.playing) this.time = this.recording.end;
    this.#tell();
  }

  /** Pause, and take `count` steps. */
  step(count) {
    this.playing = this.stage.playing = false;
    if (count > 0) this.attempt(() => this.recording.advance(count));
    this.seek();
  }

  /** Pause at the start of the scene. */
  reset(changed) {
    this.playing = this.stage.playing = false;
    this.attempt(() => this.recording.reset(changed));
    this.seek();
  }

  setSpeed(speed) {
    this.speed = speed;
    this.#tell();
  }

  /** The next higher speed, or the next lower one. */
  shift(count) {
    const index = SPEEDS.indexOf(this.speed) + count;
    if (SPEEDS[index] !== undefined) this.setSpeed(SPEEDS[index]);
  }
}
