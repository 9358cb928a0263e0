import { expect, test } from 'vitest'
import { createRegistry } from './registry.ts'

test('values of labels are escaped', () => {
  const registry = createRegistry()
  const counter = registry.counter('odd_total', 'Odd\nones.', ['name'])
  counter.add(1, 'a "b" \\ c\nd')
  counter.add(2, 'a "b" \\ c\nd')
  expect(registry.render()).toBe(
    '# HELP odd_total Odd\\nones.\n# TYPE odd_total counter\nodd_total{name="a \\"b\\" \\\\ c\\nd"} 3\n',
  )
})

test('a counter without labels is there from the beginning', () => {
  const registry = createRegistry()
  registry.counter('some_total', 'Some.')
  expect(registry.render()).toContain('\nsome_total 0\n')
})

test('what is on the edge of a bucket is in it', () => {
  const registry = createRegistry()
  const histogram = registry.histogram('time_seconds', 'Time.', [1, 2], [])
  for (const value of [0.5, 1, 1.5, 2, 3]) histogram.observe(value)
  expect(registry.render().split('\n').slice(2, -1)).toEqual([
    'time_seconds_bucket{le="1"} 2',
    'time_seconds_bucket{le="2"} 4',
    'time_seconds_bucket{le="+Inf"} 5',
    'time_seconds_sum 8',
    'time_seconds_count 5',
  ])
})
