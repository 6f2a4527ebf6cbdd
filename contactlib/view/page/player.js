// The clock of the page: play, stop, scrub, speed and loop.

const SPEEDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];
const LONGEST = 0.1; // s of the wall clock that one image may advance

export class Player {
  #last = null;
  #listeners = [];

  constructor(recording, stage) {
    Object.assign(this, { recording, stage, playing: false, loop: true, time: recording.start });
    this.speeds = SPEEDS;
    // the recording takes between five and sixty seconds at first, at its own speed if it can
    const length = recording.end - recording.start;
    this.speed = length > 60 || length < 4 ? SPEEDS.findLast((speed) => length / speed >= 8) ?? SPEEDS[0] : 1;
    stage.beforeDraw.push((now) => this.#tick(now));
  }

  /** Call with each new place in time; while the run plays, at most once in `pause` ms. */
  follow(listener, pause = 0) {
    this.#listeners.push({ listener, pause, last: -Infinity });
  }

  /** Show the present place to all listeners. */
  tell() {
    const place = this.recording.locate(this.time);
    const now = performance.now();
    for (const item of this.#listeners) {
      if (this.playing && now - item.last < item.pause) continue;
      item.last = now;
      item.listener(place);
    }
    this.stage.draw();
  }

  #tick(now) {
    if (!this.playing) {
      this.#last = null;
      return;
    }
    const seconds = this.#last === null ? 0 : Math.min(LONGEST, (now - this.#last) / 1000);
    this.#last = now;
    this.advance(seconds);
    this.tell();
  }

  /** Move on by `seconds` of the wall clock. */
  advance(seconds) {
    const { start, end } = this.recording;
    this.time += seconds * this.speed;
    if (this.time < end) return;
    if (!this.loop) this.playing = this.stage.playing = false;
    this.time = this.loop ? start : end;
  }

  play() {
    if (this.time >= this.recording.end) this.time = this.recording.start;
    this.playing = this.stage.playing = true;
    this.tell();
  }

  pause() {
    this.playing = this.stage.playing = false;
    this.tell();
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  seek(time) {
    this.time = Math.min(this.recording.end, Math.max(this.recording.start, time));
    this.tell();
  }

  /** Go to the frame that is `count` after the present one. */
  step(count) {
    this.playing = this.stage.playing = false;
    const { frame } = this.recording.locate(this.time);
    this.seek(this.recording.time[Math.min(this.recording.frames - 1, Math.max(0, frame + count))]);
  }

  setSpeed(speed) {
    this.speed = speed;
    this.tell();
  }

  /** The next higher speed, or the next lower one. */
  shift(count) {
    const index = SPEEDS.indexOf(this.speed) + count;
    if (SPEEDS[index] !== undefined) this.setSpeed(SPEEDS[index]);
  }
}
