import { describe, expect, it } from 'vitest'
import { signRequest } from './sigv4.ts'

// The key, the time and the signatures are those of the examples that AWS publishes.
const key = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
  service: 'service',
}
const now = new Date('2015-08-30T12:36:00Z')
const vanilla = { url: new URL('https://example.amazonaws.com/'), headers: {}, body: '' }

describe('the signature of AWS', () => {
  it.for([
    ['GET', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
    ['POST', '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
  ] as const)('of a %s without anything else', async ([method, signature]) => {
    const headers = await signRequest({ ...vanilla, method }, key, now)
    expect(headers).toEqual({
      'x-amz-date': '20150830T123600Z',
      authorization:
        'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, ' +
        `SignedHeaders=host;x-amz-date, Signature=${signature}`,
    })
  })

  it('covers the other headers and the token of a session', async () => {
    const headers = await signRequest(
      { ...vanilla, method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' },
      { ...key, sessionToken: 'temporary' },
      now,
    )
    expect(headers['authorization']).toContain(
      'SignedHeaders=content-type;host;x-amz-date;x-amz-security-token',
    )
    expect(headers['x-amz-security-token']).toBe('temporary')
  })
})
