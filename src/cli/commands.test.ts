/** What holds for all commands. */
import { expect, test } from 'vitest'
import { COMMANDS } from './commands.ts'

test.for(COMMANDS)('the help of $name shows how to use it, with examples', ({ name, help }) => {
  expect(help).toMatch(new RegExp(`^Usage: toolglot ${name}\\b`))
  const [, examples = ''] = help.split(/^Examples?:\n/m)
  expect(examples).toMatch(new RegExp(`^ {2}.*\\btoolglot ${name}\\b`, 'm'))
})

test.for(COMMANDS)('the help of $name tells every option, and no other', ({ help, options }) => {
  const [, table = ''] = help.split(/^Options:\n/m)
  const told = [...table.matchAll(/^ {2}(?:-\w, )?--([a-z-]+)/gm)].map(([, option]) => option)
  expect(told.toSorted()).toEqual(Object.keys(options).toSorted())
})

test.for(COMMANDS)('the choices of $name are for options that take a value', (command) => {
  const { options, choices = {} } = command
  for (const name of Object.keys(choices)) expect(options[name]?.type).toBe('string')
})
