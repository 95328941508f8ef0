import { Alert, Anchor, Badge, Button, Code, Text } from '@mantine/core'
import { Trans, useTranslation } from 'react-i18next'
import { useRead } from '../../api/queries.ts'
import type { SingleSignOn } from '../../api/schema.d.ts'
import { DescriptionList } from '../../ui/description-list.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { roleName } from '../../ui/roles.ts'
import { Section } from '../../ui/section.tsx'
import { RowsSkeleton } from '../../ui/skeletons.tsx'

type Provider = NonNullable<SingleSignOn['provider']>

/** Whether single sign-on is on, with which settings, and whether the identity provider responds. */
export function SingleSignOnSection() {
  const { t } = useTranslation('operators')
  const { data, error, isFetching, refetch } = useRead('/admin/v1/single-sign-on')
  const test = (
    <Button variant="default" size="xs" loading={isFetching} onClick={() => void refetch()}>
      {t('singleSignOn.test')}
    </Button>
  )
  return (
    <Section title={t('singleSignOn.title')} actions={data?.provider && test}>
      {error && !data && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!error && !data && <RowsSkeleton rows={2} />}
      {data?.provider && <Settings provider={data.provider} />}
      {data && !data.provider && <Off />}
    </Section>
  )
}

function Off() {
  return (
    <Text size="sm" c="dimmed">
      <Trans
        ns="operators"
        i18nKey="singleSignOn.off"
        components={{ guide: <Anchor href="/docs/guides/single-sign-on" target="_blank" inherit underline="always" /> }}
      />
    </Text>
  )
}

function Settings({ provider }: { readonly provider: Provider }) {
  const { t } = useTranslation('operators')
  const { name, issuer, client_id, scopes, verified_claim, role_claim, problem } = provider
  return (
    <>
      {problem !== null && (
        <Alert color="red" variant="light" role="alert" title={t('singleSignOn.failed')}>
          {t('singleSignOn.problem', { problem })}
        </Alert>
      )}
      <DescriptionList
        items={[
          [t('singleSignOn.status'), <Status key="status" working={problem === null} />],
          [t('singleSignOn.provider'), name],
          [t('singleSignOn.issuer'), issuer],
          [t('singleSignOn.client'), client_id],
          [t('singleSignOn.scopes'), scopes.join(' ')],
          [t('singleSignOn.verifiedClaim'), verified_claim],
          [t('singleSignOn.roleClaim'), role_claim ?? t('singleSignOn.onlyInvited')],
          ...(role_claim === null ? [] : [[t('singleSignOn.roles'), <Roles key="roles" provider={provider} />] as const]),
        ]}
      />
    </>
  )
}

function Status({ working }: { readonly working: boolean }) {
  const { t } = useTranslation('operators')
  return <Badge color={working ? 'green' : 'red'}>{working ? t('singleSignOn.works') : t('singleSignOn.fails')}</Badge>
}

/** The values of the role claim, each with its role. */
function Roles({ provider: { roles } }: { readonly provider: Provider }) {
  const { t } = useTranslation('operators')
  if (roles === null) return t('singleSignOn.ownRoles')
  return roles.map(({ value, role, workspace }) => (
    <Text key={`${value} ${role} ${workspace}`} size="sm">
      <Code>{value}</Code>:{' '}
      {workspace === null
        ? t('roles.everywhere', { role: roleName(role) })
        : t('roles.inWorkspace', { role: roleName(role), workspace })}
    </Text>
  ))
}
