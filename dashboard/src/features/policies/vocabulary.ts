// Names and values for completion. e2e/policies-vocabulary.test.ts compares them with the server's.

export const DOCUMENT_FIELDS = ['name', 'tests', 'texts', 'rules']

export const RULE_FIELDS = [
  'id',
  'description',
  'at',
  'when',
  'verdict',
  'risk',
  'classification',
  'transforms',
  'directives',
  'hold_expires_in',
  'on_error',
]

export const CLASSIFICATIONS = ['public', 'internal', 'confidential', 'restricted']
export const RISK_LEVELS = ['low', 'medium', 'high', 'critical']

/** Values of fields. */
export const FIELD_VALUES: Readonly<Record<string, readonly string[]>> = {
  at: ['input', 'output', 'retrieve', 'recall', 'remember', 'message'],
  verdict: ['allow', 'escalate', 'require_approval', 'deny'],
  risk: RISK_LEVELS,
  classification: CLASSIFICATIONS,
  on_error: ['deny', 'skip'],
  hold_expires_in: ['10m', '4h', '1d'],
}

export const FINDINGS = [
  'pii.email',
  'pii.phone',
  'pii.card',
  'pii.iban',
  'pii.national_id',
  'pii.ip',
  'pii.person',
  'secret.api_key',
  'secret.token',
  'secret.private_key',
  'secret.connection_string',
  'injection.override',
  'injection.exfiltration',
  'injection.role_play',
  'hidden.text',
  'pii',
  'secret',
  'injection',
  'hidden',
]

export const TRANSFORMS = ['redact', 'mask', 'pseudonymize'].flatMap((kind) => FINDINGS.map((finding) => `${kind}:${finding}`))

export const DIRECTIVES = [
  'route:provider=',
  'route:region=',
  'route:max_cost=',
  'memory:off',
  'memory:audit_only',
  'knowledge:off',
  'max_tokens:',
  'system:',
]

export const VARIABLES = [
  'user.id',
  'user.role',
  'user.department',
  'user.attributes',
  'user.verified',
  'application.id',
  'application.name',
  'application.settings',
  'request.endpoint',
  'request.model',
  'request.session_id',
  'request.stream',
  'request.dry_run',
  'request.message_count',
  'request.tokens',
  'request.max_tokens',
  'content.text',
  'content.plain',
  'content.unread',
  'content.classification',
  'content.risk_level',
  'content.findings',
  'response.model',
  'response.provider',
  'response.finish_reason',
  'response.tokens',
  'hit.classification',
  'hit.regulations',
  'hit.title',
  'hit.collection',
  'hit.document',
  'hit.updated_at',
  'memory.classification',
  'memory.regulations',
  'memory.scope',
  'memory.scope_id',
  'memory.kind',
  'memory.created_at',
  'memory.expires_at',
  'message.conversation_id',
  'message.sender',
  'message.group',
  'now',
]

export const FUNCTIONS = ['size', 'rank', 'int', 'double', 'string', 'bool', 'timestamp', 'duration', 'has']

export const METHODS = [
  'contains',
  'startsWith',
  'endsWith',
  'matches',
  'size',
  'exists',
  'exists_one',
  'all',
  'filter',
  'map',
  'getHours',
  'getDayOfWeek',
  'getDate',
  'getMonth',
  'getFullYear',
]
