export const digitsOf = (written: string): string => written.replace(/\D/g, '')

/** ISO/IEC 7812-1 annex B: the check digit of cards and of several countries' ids. */
export function luhn(digits: string): boolean {
  let sum = 0
  let doubled = false
  for (let i = digits.length - 1; i >= 0; i--) {
    const digit = digits.charCodeAt(i) - 48
    sum += doubled ? (digit < 5 ? 2 * digit : 2 * digit - 9) : digit
    doubled = !doubled
  }
  return sum % 10 === 0
}

/** The remainder of a decimal number of any length. `modulus` at most 10^8. */
export function remainder(digits: string, modulus: number): number {
  let rest = 0
  for (let i = 0; i < digits.length; i++) rest = (rest * 10 + digits.charCodeAt(i) - 48) % modulus
  return rest
}

/** The sum of each digit times its weight, which most national check digits use. */
export function weighted(digits: string, weights: readonly number[]): number {
  let sum = 0
  for (let i = 0; i < weights.length; i++) sum += (weights[i] ?? 0) * (digits.charCodeAt(i) - 48)
  return sum
}
