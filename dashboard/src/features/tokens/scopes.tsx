import { Button, Group, List, Popover, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { AdminToken as Token } from '../../api/schema.d.ts'
import type { Scope } from '../../api/session.ts'

const SHOWN = 3

/** Every scope: the compiler refuses one that is missing. */
const EVERY: Readonly<Record<Scope, true>> = {
  'applications:read': true,
  'applications:write': true,
  'people:read': true,
  'people:write': true,
  'providers:read': true,
  'providers:write': true,
  'policies:read': true,
  'policies:write': true,
  'reviews:read': true,
  'reviews:write': true,
  'reviews:content': true,
  'audit:read': true,
  'audit:write': true,
  'knowledge:read': true,
  'knowledge:write': true,
  'knowledge:content': true,
  'memory:read': true,
  'memory:write': true,
  'messaging:read': true,
  'messaging:write': true,
  'workspaces:read': true,
  'workspaces:write': true,
  'operators:read': true,
  'operators:write': true,
  'playground:use': true,
}
const SCOPES = Object.keys(EVERY) as Scope[]

/** Effective scopes, in one order: the granted scopes that the creator's roles allow. A button shows those beyond the first. */
export function Scopes({ token: { name, scopes, effective_scopes, state } }: { readonly token: Token }) {
  const { t } = useTranslation('tokens')
  const held = state === 'active' ? effective_scopes : scopes
  const isReduced = held.length < scopes.length
  const listed = SCOPES.filter((scope) => held.includes(scope))
  const color = state === 'active' ? {} : { c: 'dimmed' }
  const isShort = listed.length <= SHOWN && !isReduced
  if (isShort || listed.length === SCOPES.length) {
    return (
      <Text size="sm" {...color}>
        {isShort ? listed.join(', ') || t('noScopes') : t('allScopes')}
      </Text>
    )
  }
  const hidden = listed.length - SHOWN
  const text = hidden > 0 ? t('moreScopes', { hidden }) : t('fewerScopes')
  return (
    <Group gap={4}>
      <Text size="sm" {...color}>
        {listed.slice(0, SHOWN).join(', ') || t('noScopes')}
      </Text>
      <Popover withArrow trapFocus returnFocus>
        <Popover.Target>
          <Button variant="subtle" size="compact-xs" aria-label={t('showScopes', { text, name })}>
            {text}
          </Button>
        </Popover.Target>
        <Popover.Dropdown aria-label={t('columns.scopes')}>
          <List size="sm" listStyleType="none">
            {listed.map((scope) => (
              <List.Item key={scope}>{scope}</List.Item>
            ))}
          </List>
          {isReduced && (
            <Text size="sm" c="dimmed" mt="xs" maw={260}>
              {t('reduced', { scopes: scopes.join(', ') })}
            </Text>
          )}
        </Popover.Dropdown>
      </Popover>
    </Group>
  )
}
