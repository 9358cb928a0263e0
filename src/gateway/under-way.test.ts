import { expect, test } from 'vitest'
import { Lease, UnderWay } from './under-way.ts'

test('what a lease holds is given back once', () => {
  const underWay = new UnderWay()
  const lease = new Lease()
  lease.hold(underWay.enter())
  lease.hold(underWay.enter())
  expect(underWay.count).toBe(2)
  lease.end()
  lease.end()
  expect(underWay.count).toBe(0)
})

test('a place that is granted after the end is given back at once', () => {
  const underWay = new UnderWay()
  const lease = new Lease()
  lease.end()
  lease.hold(underWay.enter())
  expect(underWay.count).toBe(0)
})

test('everybody who waits for the end of all requests learns of it', async () => {
  const underWay = new UnderWay()
  await underWay.none()
  const leave = underWay.enter()
  const waiting = [underWay.none(), underWay.none()]
  leave()
  leave()
  await Promise.all(waiting)
  expect(underWay.count).toBe(0)
})
