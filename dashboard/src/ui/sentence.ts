/** A name of the API in words: `policy_set` becomes "Policy set", and `robot.switch_off` becomes "Robot: switch off". */
export function sentenceOf(name: string): string {
  const text = name.replaceAll('_', ' ').replace('.', ': ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}
