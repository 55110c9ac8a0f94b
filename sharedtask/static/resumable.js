// Sends files so that a broken connection does no harm: a client of the protocol that docs/uploads.md describes
// (tus 1.0). The browser remembers the address of an unfinished upload, and continues it after the page was
// reloaded, when the same files are chosen again.

"use strict";

const CHUNK_BYTES = 16 * 1024 * 1024;
const PAUSES_SECONDS = [1, 2, 4, 8, 15, 30];
const RECEIPT_SECONDS = 1;
const SILENCE_SECONDS = 30;
const STORED = "arboretum-upload ";

// The connection or the server is away for the moment; the upload can be continued.
class Interruption extends Error {}

// The server has refused the upload; `problem` has its id and its reason.
class UploadRefusal extends Error {
  constructor(problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

// Private windows may have no storage; uploads then work, and are not remembered.
const remembered = {
  get(key) { try { return localStorage.getItem(STORED + key); } catch { return null; } },
  set(key, address) { try { localStorage.setItem(STORED + key, address); } catch { /* See above. */ } },
  remove(key) { try { localStorage.removeItem(STORED + key); } catch { /* See above. */ } },
};

function fingerprint(files, metadata) {
  return JSON.stringify([metadata, files.map(({ name, size, lastModified }) => [name, size, lastModified])]);
}

function encodeMetadata(metadata) {
  const encode = (text) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));
  return Object.entries(metadata).map(([key, value]) => `${key} ${encode(value)}`).join(",");
}

class ResumableUpload {
  // `onProgress` gets the number of bytes sent; `onWaiting` the same, when the connection is lost.
  constructor({ endpoint, token, files, metadata, onProgress, onWaiting }) {
    Object.assign(this, { endpoint, token, metadata, onProgress, onWaiting });
    this.blob = new Blob(files);
    this.key = fingerprint(files, metadata);
    this.address = remembered.get(this.key);
    this.offset = 0;
    this.receipt = "";
    this.isCancelled = false;
  }

  // The address of the receipt; null if the upload was cancelled.
  async send() {
    for (let failures = 0; !this.isCancelled;) {
      try {
        await this.findOffset();
        while (this.offset < this.blob.size) { await this.sendChunk(); failures = 0; }
        const receipt = this.receipt || await this.waitForReceipt();
        remembered.remove(this.key);
        return receipt;
      } catch (error) {
        if (this.isCancelled) return null;
        if (!(error instanceof Interruption)) throw error;
        this.onWaiting(this.offset);
        await this.pause(failures);
        failures += 1;
      }
    }
    return null;
  }

  async cancel() {
    this.isCancelled = true;
    if (this.request) this.request.abort();
    if (this.wake) this.wake();
    remembered.remove(this.key);
    if (this.address) await this.ask("DELETE", this.address, {}, null, true).catch(() => null);
  }

  async findOffset() {
    if (this.address) {
      const response = await this.ask("HEAD", this.address, {}, null, true);
      if (response.status === 200) {
        this.offset = Number(response.getResponseHeader("Upload-Offset"));
        this.receipt = response.getResponseHeader("Upload-Receipt") || "";
        return;
      }
      // It expired, or was refused: a new one gets the reason.
      remembered.remove(this.key);
      this.address = null;
    }
    const headers = { "Upload-Length": this.blob.size, "Upload-Metadata": encodeMetadata(this.metadata) };
    const response = await this.ask("POST", this.endpoint, headers);
    this.address = response.getResponseHeader("Location");
    this.offset = 0;
    remembered.set(this.key, this.address);
  }

  async sendChunk() {
    const headers = { "Upload-Offset": this.offset, "Content-Type": "application/offset+octet-stream" };
    const chunk = this.blob.slice(this.offset, this.offset + CHUNK_BYTES);
    const response = await this.ask("PATCH", this.address, headers, chunk);
    this.offset = Number(response.getResponseHeader("Upload-Offset"));
    this.receipt = response.getResponseHeader("Upload-Receipt") || "";
    this.onProgress(this.offset);
  }

  // Only needed if the response with the receipt was lost, or another process of the server is at it.
  async waitForReceipt() {
    for (;;) {
      const { state, receipt, refusal } = JSON.parse((await this.ask("GET", this.address)).responseText);
      if (receipt) return receipt;
      if (state === "refused") throw new UploadRefusal({ id: refusal.id, detail: refusal.message });
      await this.pause(0, RECEIPT_SECONDS);
    }
  }

  // Ends early when the computer is online again or the upload is cancelled. A browser that believes to be offline
  // may be wrong, so that it tries again from time to time as well.
  pause(failures, seconds = PAUSES_SECONDS[Math.min(failures, PAUSES_SECONDS.length - 1)]) {
    return new Promise((resolve) => {
      this.wake = resolve;
      window.addEventListener("online", resolve, { once: true });
      setTimeout(resolve, seconds * 1000);
    });
  }

  // A connection that was lost may be noticed only minutes later: a body that does not get on is given up.
  watch(request) {
    const begin = this.offset;
    let timer = setTimeout(() => request.abort(), SILENCE_SECONDS * 1000);
    request.upload.addEventListener("progress", ({ loaded }) => {
      clearTimeout(timer);
      timer = setTimeout(() => request.abort(), SILENCE_SECONDS * 1000);
      this.onProgress(begin + loaded);
    });
    request.upload.addEventListener("loadend", () => clearTimeout(timer));
    window.addEventListener("offline", () => request.abort(), { once: true });
  }

  // With `isExpected`, a response that refuses the request is returned like any other.
  ask(method, address, headers = {}, body = null, isExpected = false) {
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      this.request = request;
      request.open(method, address);
      const all = { "Tus-Resumable": "1.0.0", "X-CSRFToken": this.token, ...headers };
      Object.entries(all).forEach(([name, value]) => request.setRequestHeader(name, value));
      if (body) this.watch(request); else request.timeout = SILENCE_SECONDS * 1000;
      for (const type of ["error", "abort", "timeout"]) {
        request.addEventListener(type, () => reject(new Interruption()));
      }
      request.addEventListener("load", () => {
        const error = isExpected && request.status < 500 ? null : errorOf(request);
        if (error) reject(error); else resolve(request);
      });
      request.send(body);
    });
  }
}

function errorOf(request) {
  if (request.status >= 200 && request.status < 300) return null;
  const kind = request.getResponseHeader("Content-Type") || "";
  const problem = kind.startsWith("application/problem+json") ? JSON.parse(request.responseText) : null;
  if (request.status >= 500 || (problem && [404, 409, 460].includes(request.status))) return new Interruption();
  const detail = "The server did not accept the upload. Please reload the page and try again.";
  return new UploadRefusal(problem || { id: `status-${request.status}`, detail });
}
