import { expect, test } from 'vitest'
import { isPrivateHost } from './private-address.ts'

test.for([
  ['127.0.0.1', true],
  ['localhost', true],
  ['[::1]', true],
  ['10.1.2.3', true],
  ['172.16.0.1', true],
  ['172.32.0.1', false],
  ['192.168.1.20', true],
  ['169.254.9.9', true],
  ['100.64.0.1', true],
  ['100.128.0.1', false],
  ['[fd00::1]', true],
  ['[fe80::1]', true],
  ['[2001:db8::1]', false],
  ['workstation.local', true],
  ['host.docker.internal', true],
  ['ollama', true],
  ['api.openai.com', false],
  ['10.example.com', false],
  ['192.168.example.com', false],
  ['8.8.8.8', false],
] as const)('%s: %s', ([host, isPrivate]) => {
  expect(isPrivateHost(host)).toBe(isPrivate)
})
