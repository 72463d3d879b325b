import { AllowedHosts } from '../../src/http/allowed-hosts.js';

const hosts = new AllowedHosts(['Shop.example', 'other.example:8443']);

test.each([
  ['localhost'],
  ['localhost:8080'],
  ['127.0.0.1:3000'],
  ['[::1]:3000'],
  ['shop.example'],
  ['SHOP.example:443'],
  ['other.example:8443'],
])('%s is one of ours', (host) => {
  expect(hosts.refusalOf({ host })).toBeUndefined();
  expect(
    hosts.refusalOf({ host: host.toLowerCase(), origin: `http://${host.toLowerCase()}` }),
  ).toBeUndefined();
  expect(
    hosts.refusalOf({ host: host.toLowerCase(), origin: `https://${host.toLowerCase()}` }),
  ).toBeUndefined();
});

test.each([
  ['evil.example'],
  ['other.example'],
  ['other.example:80'],
  ['localhost.evil.example'],
  ['evil.example@localhost'],
  ['localhost/evil.example'],
  ['localhost:80:80'],
  [''],
  [undefined],
])('%s is not', (host) => {
  expect(hosts.refusalOf({ host })).toContain('Host');
});

test.each([
  'http://evil.example',
  'null',
  'http://localhost',
  'http://localhost:80800',
  'http://shop.example',
])('a page of %s may not call localhost:8080', (origin) => {
  expect(hosts.refusalOf({ host: 'localhost:8080', origin })).toContain('another site');
});
