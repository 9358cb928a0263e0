import { expect, test } from 'vitest'
import { createSecrets } from './secrets.ts'

test('secrets are hidden in texts, and in errors with their causes', () => {
  const secrets = createSecrets()
  secrets.add('my-lasting-key')
  secrets.addPassing('token-of-today')
  expect(secrets.hide('my-lasting-key and token-of-today')).toBe('*** and ***')
  const error = new Error('outer', { cause: new Error('inner my-lasting-key') })
  const hidden = secrets.hideIn(error)
  expect(hidden).toMatchObject({ message: 'outer', cause: { message: 'inner ***' } })
})

test('secrets are hidden in hexadecimal digits and in pages', () => {
  const secrets = createSecrets()
  const key = 'k3y+of/the=day&night'
  secrets.add(key)
  const hex = Array.from(new TextEncoder().encode(key), (byte) => byte.toString(16)).join('')
  const pages = ['k3y&#43;of/the=day&amp;night', 'k3y+of&#x2F;the&#x3D;day&amp;night']
  for (const text of [hex, hex.toUpperCase(), ...pages]) expect(secrets.hide(text)).toBe('***')
})

test('keys that are made for each request do not pile up', () => {
  const secrets = createSecrets()
  secrets.add('my-lasting-key')
  for (let count = 0; count < 500; count++) secrets.addPassing(`token-${count}.`)
  expect(secrets.hide('token-499. token-401. token-0. my-lasting-key')).toBe('*** *** token-0. ***')
})

test('what is used again is not forgotten', () => {
  const secrets = createSecrets()
  for (let count = 0; count < 500; count++) {
    secrets.addPassing('now-in-use')
    secrets.addPassing(`token-${count}.`)
  }
  expect(secrets.hide('now-in-use')).toBe('***')
})
