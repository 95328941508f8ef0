/**
 * Forty rules as in a large company. None denies or holds the requests of the benchmark. Two match one request in ten, which has an
 * e-mail address.
 */
const input: readonly [id: string, when: string, more: string][] = [
  ['secrets-never-leave', 'content.findings.secret > 0', 'verdict: deny, risk: critical'],
  ['private-keys-never-leave', 'content.findings["secret.private_key"] > 0', 'verdict: deny'],
  ['connection-strings', 'content.findings["secret.connection_string"] > 0', 'verdict: deny'],
  ['cards-are-masked', 'content.findings["pii.card"] > 0', 'transforms: ["mask:pii.card"], risk: high'],
  ['ibans-are-masked', 'content.findings["pii.iban"] > 0', 'transforms: ["mask:pii.iban"]'],
  ['national-ids', 'content.findings["pii.national_id"] > 0', 'verdict: require_approval, hold_expires_in: 4h'],
  ['addresses-stay-here', 'content.findings["pii.email"] > 0', 'transforms: ["redact:pii.email"]'],
  ['personal-data-is-medium', 'content.findings.pii > 0 && !user.verified', 'risk: medium'],
  ['many-people', 'content.findings.pii > 20', 'verdict: require_approval'],
  ['override-attempts', 'content.findings["injection.override"] > 0', 'verdict: escalate, risk: high'],
  ['exfiltration-attempts', 'content.findings["injection.exfiltration"] > 0', 'verdict: deny'],
  ['role-play', 'content.findings["injection.role_play"] > 1', 'risk: medium'],
  ['hidden-text', 'content.findings["hidden.text"] > 0', 'verdict: deny'],
  ['guests-stay-public', 'user.role == "guest" && rank(content.classification) > rank("public")', 'verdict: deny'],
  [
    'legal-asks-first',
    'user.department == "legal" && rank(content.classification) >= rank("confidential")',
    'verdict: require_approval',
  ],
  ['finance-quarter-end', 'user.department == "finance" && content.text.contains("unpublished results")', 'verdict: escalate'],
  ['people-files', 'content.text.contains("personnel file") && user.department != "people"', 'verdict: deny'],
  ['project-aurora', 'content.text.contains("project aurora") && !(user.role in ["lead", "director"])', 'verdict: deny'],
  ['mergers', 'content.text.matches("(?i)\\\\b(merger|acquisition|due diligence)\\\\b")', 'verdict: require_approval'],
  ['export-control', 'content.text.matches("(?i)dual[- ]use|export licen[cs]e")', 'verdict: escalate, risk: high'],
  ['contractors-no-code', 'user.role == "contractor" && content.text.contains("BEGIN SOURCE")', 'verdict: deny'],
  ['large-models-cost', 'request.model.startsWith("gpt-4") && !(user.role in ["engineer", "analyst", "lead"])', 'verdict: deny'],
  ['restricted-stays-in-europe', 'rank(content.classification) >= rank("restricted")', 'directives: ["route:region=eu"]'],
  ['long-prompts', 'request.tokens > 30000', 'verdict: deny'],
  ['long-conversations', 'request.message_count > 200', 'risk: medium'],
  ['costly-answers', 'request.max_tokens > 16000', 'directives: ["max_tokens:4000"]'],
  ['anonymous-user', 'user.id == "" && application.name != "nightly-jobs"', 'risk: medium'],
  ['interns', 'user.role == "intern" && request.tokens > 4000', 'verdict: escalate'],
  ['works-council', 'user.department == "works-council"', 'directives: ["memory:off"]'],
  ['maintenance', 'now < timestamp("2020-01-01T00:00:00Z")', 'verdict: deny'],
]
const output: typeof input = [
  ['no-secrets-in-answers', 'content.findings.secret > 0', 'verdict: deny, risk: critical'],
  ['no-cards-in-answers', 'content.findings["pii.card"] > 0', 'transforms: ["redact:pii.card"]'],
  ['no-addresses-in-answers', 'content.findings["pii.email"] > 0', 'transforms: ["redact:pii.email"]'],
  ['legal-advice', 'content.text.matches("(?i)this is (not )?legal advice")', 'verdict: escalate'],
  ['medical-advice', 'content.text.contains("your diagnosis") && user.department != "health"', 'verdict: require_approval'],
  ['cut-off', 'response.finish_reason == "length" && user.role == "customer"', 'risk: medium'],
  [
    'foreign-provider',
    'response.provider == "public-cloud" && rank(content.classification) >= rank("confidential")',
    'verdict: deny',
  ],
  ['very-long-answers', 'response.tokens > 8000', 'transforms: ["truncate:20000"]'],
]
const both: typeof input = [
  ['codenames', 'content.text.contains("PROJECT BLACKBIRD")', 'verdict: deny'],
  ['too-dangerous', 'content.risk_level == "critical"', 'verdict: deny'],
]

const rules = (at: string, list: typeof input): string =>
  list.map(([id, when, more]) => `  - {id: ${id}, at: ${at}, when: ${JSON.stringify(when)}, ${more}}\n`).join('')

export const FORTY_RULES = `name: benchmark\nrules:\n${rules('[input]', input)}${rules('[output]', output)}${rules('[input, output]', both)}`

/** The rules whose conditions can be evaluated at the point `message`. */
export const MESSAGE_RULES = `name: benchmark-messages\nrules:\n${rules('[message]', [...input, ...both])}`
