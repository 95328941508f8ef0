import { Group, Paper, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useScopes } from '../../api/session.ts'
import { HealthBadge } from '../../ui/health-badge.tsx'
import { Link } from '../../ui/link.tsx'
import type { Overview } from './overview.ts'

type Provider = Overview['providers'][number]

/** More providers are counted; those with a problem are always named. */
const MOST_NAMED = 3

const isFine = ({ enabled, health }: Provider): boolean =>
  !enabled || (health.circuit === 'closed' && !health.problem && !health.last_error?.fault)

/** State of providers and the audit log in one line. */
export function Health({ overview: { providers, attention } }: { readonly overview: Overview }) {
  const { t } = useTranslation('home')
  const { hasScope } = useScopes()
  const isTampered = attention.some(({ kind }) => kind === 'audit_tampered')
  return (
    <Paper component="section" withBorder px="md" py="xs" aria-label={t('health.title')}>
      <Group gap="xs" mr="lg">
        <Part name={t('health.providers')} to={hasScope('providers:read') && '/providers'}>
          <Providers providers={providers} linked={hasScope('providers:read')} />
        </Part>
        <Part name={t('health.auditLog')} to="/audit">
          <Text size="sm" {...(isTampered && { c: 'red' })}>
            {isTampered ? t('health.tampered') : t('health.intact')}
          </Text>
        </Part>
      </Group>
    </Paper>
  )
}

function Part({ name, to, children }: { readonly name: string; readonly to: string | false; readonly children: ReactNode }) {
  return (
    <Group gap="xs" mr="lg">
      {to ? (
        <Link to={to} size="sm" c="dimmed">
          {name}
        </Link>
      ) : (
        <Text size="sm" c="dimmed">
          {name}
        </Text>
      )}
      {children}
    </Group>
  )
}

function Providers({ providers, linked }: { readonly providers: readonly Provider[]; readonly linked: boolean }) {
  const { t } = useTranslation('home')
  if (providers.length === 0) return <Text size="sm">{t('health.noProviders')}</Text>
  const named = providers.length > MOST_NAMED ? providers.filter((provider) => !isFine(provider)).slice(0, MOST_NAMED) : providers
  const others = providers.length - named.length
  return (
    <>
      {named.map(({ id, enabled, health }) => (
        <Group key={id} gap={6} wrap="nowrap">
          {linked ? (
            <Link to={`/providers/${id}`} size="sm">
              {id}
            </Link>
          ) : (
            <Text size="sm">{id}</Text>
          )}
          <HealthBadge enabled={enabled} health={health} />
        </Group>
      ))}
      {others > 0 && (
        <Text size="sm">
          {named.length > 0 ? t('health.otherProviders', { count: others }) : t('health.allProviders', { count: others })}
        </Text>
      )}
    </>
  )
}
