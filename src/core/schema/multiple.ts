/** A number as digits and a power of ten, which is what its text says; its bits only come near. */
interface Decimal {
  readonly digits: bigint
  readonly exponent: number
}

/** True when dividing leaves nothing over: 0.3 is a multiple of 0.1. */
export function isMultipleOf(value: number, divisor: number): boolean {
  if (!Number.isFinite(value) || !(divisor > 0)) return true
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0
  const one = toDecimal(value)
  const other = toDecimal(divisor)
  const exponent = Math.min(one.exponent, other.exponent)
  return scale(one, exponent) % scale(other, exponent) === 0n
}

function toDecimal(value: number): Decimal {
  const [mantissa = '', exponent = '0'] = String(value).split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length }
}

function scale({ digits, exponent }: Decimal, to: number): bigint {
  return digits * 10n ** BigInt(exponent - to)
}
