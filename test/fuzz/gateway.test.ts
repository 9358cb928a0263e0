/** A few of the inputs of `npm run fuzz -- gateway`, the same ones in every run. */
import { expect, test } from 'vitest'
import { SERVICES } from '../support/gateway-services.ts'
import { attackGateway } from './attack.ts'

test.for(SERVICES)(
  'damaged requests, and damaged replies of %s, stop nothing and leave nothing under way',
  async (dialect) => {
    const { problems } = await attackGateway({ dialect, requests: 150, seed: 'npm test' })
    expect(problems).toEqual([])
  },
)
