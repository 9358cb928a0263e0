const NUMBER = /^[+-]?(?:0|[1-9]\d*|(?=\.\d))(?:\.\d*)?(?:[eE][+-]?\d+)?$/

/**
 * The number a text spells in JSON's notation, or as `+5`, `.5` and `5.`. Leading zeros, `NaN`, `1_000`
 * and integers that would lose digits have no such number: they are more likely codes and ids than
 * quantities.
 */
export function readNumber(text: string): number | undefined {
  const number = Number(text)
  // Only plain digits: whoever writes an exponent or a fraction does not count on the last digit.
  const isExact = Number.isSafeInteger(number) || /[.eE]/.test(text)
  return isExact && NUMBER.test(text) && Number.isFinite(number) ? number : undefined
}
