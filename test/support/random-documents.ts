/** Random prose, code and Markdown that mention tools and call syntax but never make a call. */
import fc from 'fast-check'

/**
 * Documents of several blocks. Tool names, half markers and complete calls in inline code are among
 * the words, but nothing stands where a call would: a document starts with prose, and no code block
 * holds a call alone.
 */
export function documentsWithoutCalls(toolNames: readonly string[]): fc.Arbitrary<string> {
  const { paragraph, block } = blocks(toolNames)
  return fc
    .tuple(paragraph, fc.array(block, { maxLength: 8 }), fc.constantFrom('', '\n', '\n\n'))
    .map(([first, rest, end]) => [first, ...rest].join('\n\n') + end)
}

const WORDS = (
  'the a of boats Oslo result when tide is not and file name arguments tool call function think ' +
  '42 3.5 naïve 天气 ملف 🌦️ —'
).split(' ')

/** Call syntax that is cut short, misspelled or only similar. */
const FRAGMENTS = (
  '<tool_c|<tool_caller>|<toolbox>|</tool>|[tool]|[tools: none]|~~~|~tool~|{|}|{}|[]|[0, 1)|{1, 2}|' +
  '<|>|<3|->|"name":|{"name"|f(x)|O(n)|file(s)|a<b>|Vec<tool>|(see below)|[text](url)|[^1]|\\('
).split('|')

function blocks(toolNames: readonly string[]) {
  const word = fc.constantFrom(...WORDS)
  const tool = fc.constantFrom(...toolNames)
  const value = fc.oneof(word, fc.string({ maxLength: 12 }).map(withoutMarkers))

  const mention = fc
    .tuple(tool, word)
    .chain(([name, argument]) =>
      fc.constantFrom(
        name,
        `${name}(${argument})`,
        `${name}()`,
        `the ${name} tool`,
        `\`${name}(${argument}="x")\``,
        `\`<tool_call>{"name": "${name}", "arguments": {}}</tool_call>\``,
        `[${name}](#${argument})`,
      ),
    )
  const sentence = fc
    .tuple(
      word,
      fc.array(
        fc.oneof(
          { weight: 8, arbitrary: word },
          { weight: 2, arbitrary: mention },
          { weight: 1, arbitrary: fc.constantFrom(...FRAGMENTS) },
        ),
        { minLength: 2, maxLength: 14 },
      ),
      fc.constantFrom('.', '?', '!', ':', ' …'),
    )
    .map(([first, words, stop]) => `${first} ${words.join(' ')} so${stop}`)
  const paragraph = fc
    .tuple(fc.array(sentence, { minLength: 1, maxLength: 4 }), fc.constantFrom(' ', '\n'))
    .map(([sentences, separator]) => sentences.join(separator))

  const heading = fc
    .tuple(fc.integer({ min: 1, max: 4 }), word, tool)
    .map(([level, text, name]) => `${'#'.repeat(level)} ${text} ${name}`)
  const list = fc
    .tuple(
      fc.array(sentence, { minLength: 1, maxLength: 5 }),
      fc.constantFrom('-', '*', '1.', '- [ ]', '>'),
    )
    .map(([items, bullet]) => items.map((item) => `${bullet} ${item}`).join('\n'))
  const table = fc
    .array(fc.tuple(tool, word, word), { minLength: 1, maxLength: 4 })
    .map((rows) =>
      ['| tool | a | b |', '|---|---|---|', ...rows.map((row) => `| ${row.join(' | ')} |`)].join(
        '\n',
      ),
    )

  const statement = fc
    .tuple(tool, value, word)
    .chain(([name, text, variable]) =>
      fc.constantFrom(
        `${name}(${JSON.stringify(text)})`,
        `const ${name}Result = await ${name}({ ${name}: ${JSON.stringify(text)} })`,
        `if (${name}.length < 3) return [${name}]`,
        `  {"name": "${name}", "arguments": {"text": ${JSON.stringify(text)}}},`,
        `<tool_call>{"name": "${name}", "arguments": {}}</tool_call>`,
        `[tool: ${name} {}]`,
        `# ${variable}`,
        '',
      ),
    )
  const program = fc
    .tuple(
      fc.constantFrom('', 'python', 'ts', 'json', 'text', 'bash', 'xml'),
      fc.constantFrom('```', '````', '~~~~'),
      sentence,
      fc.array(statement, { minLength: 1, maxLength: 6 }),
    )
    // The remark on both sides is what makes the block more than a call.
    .map(([language, fence, remark, statements]) =>
      [`${fence}${language}`, `// ${remark}`, ...statements, `// ${remark}`, fence].join('\n'),
    )
  const data = fc
    .dictionary(
      fc.constantFrom('title', 'city', 'count', 'tags', 'tool', 'nested'),
      fc.jsonValue({ maxDepth: 2 }),
    )
    .map(
      (fields) =>
        `\`\`\`json\n${withoutMarkers(JSON.stringify({ kind: 'report', ...fields }, null, 2))}\n\`\`\``,
    )
  const formula = fc
    .tuple(word, tool)
    .map(
      ([text, name]) => `$$ ${name}(x) = \\frac{x}{2}, \\quad x \\in [0, 1) \\text{ ${text} } $$`,
    )

  return {
    paragraph,
    block: fc.oneof(
      { weight: 4, arbitrary: paragraph },
      { weight: 1, arbitrary: heading },
      { weight: 2, arbitrary: list },
      { weight: 1, arbitrary: table },
      { weight: 3, arbitrary: program },
      { weight: 1, arbitrary: data },
      { weight: 1, arbitrary: formula },
    ),
  }
}

/** Random strings must not end a code block or open reasoning. */
const withoutMarkers = (text: string): string => text.replaceAll(/[`~<]/g, '.')
