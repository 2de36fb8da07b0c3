import assert from "node:assert/strict";
import { isPublicAddress, refusedUrl } from "../../../src/webhooks/post/allowed_target.ts";

const REFUSED = [
  ...["0.0.0.0", "10.1.2.3", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.255.255.254"],
  ...["168.63.129.16", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.192"],
  ...["192.168.1.1", "198.18.0.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255"],
  ...[
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::ffff:10.0.0.1",
    "::8.8.8.8",
  ],
  ...["64:ff9b::7f00:1", "64:ff9b::10.0.0.1", "64:ff9b:1::1", "2002:7f00:1::1", "2002:808:808::1"],
  ...["2001::1", "2001:db8::1", "100::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%eth0"],
  ...["fec0::1", "ff02::1", "3fff::1", "not an address", ""],
];
const PUBLIC = ["1.1.1.1", "172.15.0.1", "172.32.0.1", "100.63.0.1", "::ffff:1.1.1.1"];
const PUBLIC6 = ["2606:4700:4700::1111", "2a00::1", "64:ff9b::808:808"];

for (const address of REFUSED) {
  Deno.test(`nothing is sent to ${JSON.stringify(address)}`, () => {
    assert.equal(isPublicAddress(address), false);
  });
}

for (const address of [...PUBLIC, ...PUBLIC6]) {
  Deno.test(`webhooks may be sent to ${address}`, () => {
    assert.equal(isPublicAddress(address), true);
  });
}

const REFUSED_URLS = [
  ...["http://example.com/", "ftp://example.com/", "file:///etc/passwd", "nonsense"],
  ...["https://user:pass@example.com/", "https://user@example.com/"],
  ...["https://2130706433/", "https://0x7f.1/", "https://0177.0.0.1/", "https://127.1/"],
  ...["https://127.0.0.1./", "https://①②⑦.0.0.1/", "https://[::1]/", "https://[::ffff:7f00:1]/"],
  ...["https://[64:ff9b::a9fe:a9fe]/", "https://[fe80::1%25eth0]/", "https://169.254.169.254/"],
  ...["https://localhost/", "https://LOCALHOST./", "https://db.localhost/", "https://a.internal/"],
  ...["https://printer.local/", "https://nas.home.arpa/"],
  ...["https://example.com:22/", "https://example.com:80/", "https://example.com:6379/"],
];

for (const url of REFUSED_URLS) {
  Deno.test(`${url} is refused before anything is looked up`, () => {
    assert.notEqual(refusedUrl(url, { isPrivateAllowed: false }), undefined);
  });
}

Deno.test("public https addresses are allowed, and with private targets http and any port too", () => {
  const names = [
    "https://notlocalhost.com/",
    "https://local.example.com/",
    "https://localhost.io/",
  ];
  for (const url of names) {
    assert.equal(refusedUrl(url, { isPrivateAllowed: false }), undefined, url);
  }
  for (const url of ["https://example.com/x?y", "https://example.com:8443/", "https://1.1.1.1/"]) {
    assert.equal(refusedUrl(url, { isPrivateAllowed: false }), undefined, url);
  }
  for (const url of ["http://127.0.0.1:6379/", "http://localhost/"]) {
    assert.equal(refusedUrl(url, { isPrivateAllowed: true }), undefined, url);
  }
  assert.notEqual(refusedUrl("ftp://localhost/", { isPrivateAllowed: true }), undefined);
  assert.notEqual(refusedUrl("http://u:p@localhost/", { isPrivateAllowed: true }), undefined);
});
