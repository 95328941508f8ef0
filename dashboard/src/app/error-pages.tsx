import { Container } from '@mantine/core'
import type { ErrorComponentProps } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { EmptyState } from '../ui/empty-state.tsx'
import { ErrorState } from '../ui/error-state.tsx'
import { LinkButton } from '../ui/link.tsx'
import { Page } from '../ui/page.tsx'

export function NotFoundPage() {
  const { t } = useTranslation('app')
  return (
    <Page title={t('notFound.title')}>
      <EmptyState title={t('notFound.heading')} action={<LinkButton to="/">{t('notFound.openHome')}</LinkButton>}>
        {t('notFound.hint')}
      </EmptyState>
    </Page>
  )
}

export function ErrorPage({ error, reset }: ErrorComponentProps) {
  return (
    <Container py="xl">
      <ErrorState error={error} onRetry={reset} />
    </Container>
  )
}

/** Shown instead of a page whose requests the server would refuse. */
export function MissingScope({ scope }: { readonly scope: string | undefined }) {
  const { t } = useTranslation('app')
  return (
    <Page title={t('denied.title')}>
      <EmptyState title={t('denied.heading', { scope })}>{t('denied.hint')}</EmptyState>
    </Page>
  )
}

/** Shown to an operator without a role in any Workspace. */
export function MissingRole() {
  const { t } = useTranslation('app')
  return (
    <Page title={t('noRole.title')}>
      <EmptyState title={t('noRole.heading')} action={<LinkButton to="/account">{t('noRole.openAccount')}</LinkButton>}>
        {t('noRole.hint')}
      </EmptyState>
    </Page>
  )
}

/** Shown if the address names a Workspace that does not exist, or that the operator cannot enter. */
export function UnknownWorkspace() {
  const { t } = useTranslation('app')
  return (
    <Page title={t('unknownWorkspace.title')}>
      <EmptyState
        title={t('unknownWorkspace.heading')}
        action={
          <LinkButton to="/" search={{ workspace: undefined }}>
            {t('notFound.openHome')}
          </LinkButton>
        }
      >
        {t('unknownWorkspace.hint')}
      </EmptyState>
    </Page>
  )
}
