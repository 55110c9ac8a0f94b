// Names and sizes of the files in an archive, without uploading or unpacking it. Functions return null if the
// browser cannot read the archive; the server checks it in any case.

"use strict";

const ZIP_END = 0x06054b50, ZIP_ENTRY = 0x02014b50;
const ZIP_TAIL = 65557;
const TAR_BLOCK = 512;

async function readBytes(file, begin, end) {
  return new Uint8Array(await file.slice(begin, end).arrayBuffer());
}

// The table of contents of a zip is at its end.
async function filesInZip(file) {
  const tail = await readBytes(file, Math.max(0, file.size - ZIP_TAIL), file.size);
  const view = new DataView(tail.buffer);
  let end = tail.length - 22;
  while (end >= 0 && view.getUint32(end, true) !== ZIP_END) end -= 1;
  if (end < 0) return null;
  const [size, offset] = [view.getUint32(end + 12, true), view.getUint32(end + 16, true)];
  // A very large archive (ZIP64) stores these numbers elsewhere.
  if (offset === 0xffffffff || size === 0xffffffff) return null;
  return zipEntries(await readBytes(file, offset, offset + size));
}

function zipEntries(table) {
  const view = new DataView(table.buffer), text = new TextDecoder(), entries = [];
  for (let at = 0; at + 46 <= table.length && view.getUint32(at, true) === ZIP_ENTRY;) {
    const length = view.getUint16(at + 28, true);
    entries.push({
      name: text.decode(table.subarray(at + 46, at + 46 + length)),
      size: view.getUint32(at + 24, true),
    });
    at += 46 + length + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return entries.filter((entry) => !entry.name.endsWith("/"));
}

// In a tar, a header block with name and size precedes each file; the content is skipped.
async function filesInTarGz(file) {
  if (typeof DecompressionStream === "undefined") return null;
  const reader = file.stream().pipeThrough(new DecompressionStream("gzip")).getReader();
  const files = [];
  let buffer = new Uint8Array(0), skip = 0;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return files.length ? files : null;
    const skipped = Math.min(skip, value.length);
    skip -= skipped;
    if (skipped === value.length) continue;
    buffer = concatenate(buffer, value.subarray(skipped));
    while (buffer.length >= TAR_BLOCK) {
      const entry = tarEntry(buffer);
      if (entry === null) { await reader.cancel(); return null; }
      if (entry.end) { await reader.cancel(); return files; }
      if (entry.isFile) files.push({ name: entry.name, size: entry.size });
      const end = TAR_BLOCK + Math.ceil(entry.size / TAR_BLOCK) * TAR_BLOCK;
      skip = Math.max(0, end - buffer.length);
      buffer = buffer.slice(Math.min(end, buffer.length));
    }
  }
}

function tarEntry(block) {
  const text = new TextDecoder();
  const field = (begin, end) => text.decode(block.subarray(begin, end)).split("\0")[0];
  if (block[0] === 0) return { end: true };
  const size = parseInt(field(124, 136).trim() || "0", 8), kind = String.fromCharCode(block[156]);
  // Long names are stored in another way; such archives are left to the server.
  if (Number.isNaN(size) || kind === "L" || field(257, 262) !== "ustar") return null;
  const folder = field(345, 500);
  const name = (folder ? folder + "/" : "") + field(0, 100);
  return { end: false, isFile: kind === "0" || kind === "\0", size, name };
}

function concatenate(first, second) {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

// The first bytes decide, as on the server, whatever the file is called.
async function startOf(file) {
  return [...await readBytes(file, 0, 8)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function filesInArchive(file) {
  const start = await startOf(file);
  try {
    if (start.startsWith("504b")) return await filesInZip(file);
    if (start.startsWith("1f8b")) return await filesInTarGz(file);
  } catch {
    return null;
  }
  return null;
}

// What the file is, if it is in a format that the server refuses; `formats` are descriptions by first bytes in hex.
async function refusedFormat(file, formats) {
  const start = await startOf(file);
  const known = Object.keys(formats).find((bytes) => start.startsWith(bytes));
  return known ? formats[known] : "";
}
