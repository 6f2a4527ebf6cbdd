// The clock of a live run: play, pause, step and reset, with the speeds of the player of a recording.

import { Player } from "../player.js";
import { ContactError } from "./run.js";

const BUDGET = 25; // ms for the steps of one image

export class LivePlayer extends Player {
  #rate = { wall: 0, run: 0 };

  constructor(recording, stage) {
    super(recording, stage);
    Object.assign(this, { speed: 1, time: recording.end, problem: "", reached: null });
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

  advance(seconds) {
    const { recording } = this, { step } = recording;
    const wanted = this.time + seconds * this.speed, before = this.time;
    const count = Math.ceil((wanted - recording.end) / step - 1e-9);
    const limit = performance.now() + BUDGET;
    if (count > 0) this.attempt(() => recording.advance(count, () => performance.now() > limit));
    this.time = this.playing ? Math.min(wanted, recording.end) : recording.end;
    this.#measure(seconds, this.time - before);
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
    this.tell();
  }

  pause() {
    this.playing = this.stage.playing = false;
    this.reached = null;
    this.time = this.recording.end;
    this.tell();
  }

  /** A live run has the present only: show it again. */
  seek() {
    if (!this.playing) this.time = this.recording.end;
    this.tell();
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
}
