// Uploads a file with tus-js-client and prints the address of the upload and of its receipt, as JSON.
// Arguments: endpoint, file, headers and metadata as JSON.

"use strict";

const fs = require("node:fs");
const tus = require("tus-js-client");

const [endpoint, file, headers, metadata] = process.argv.slice(2);
const upload = new tus.Upload(fs.createReadStream(file), {
  endpoint,
  headers: JSON.parse(headers),
  metadata: JSON.parse(metadata),
  uploadSize: fs.statSync(file).size,
  retryDelays: [0, 100, 100, 100, 100, 100],
  onError: (error) => { console.error(String(error)); process.exitCode = 1; },
  onSuccess: ({ lastResponse }) => {
    console.log(JSON.stringify({ address: upload.url, receipt: lastResponse.getHeader("Upload-Receipt") }));
  },
});
upload.start();
