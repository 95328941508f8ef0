import { Container } from '@mantine/core'
import type { ErrorComponentProps } from '@tanstack/react-router'
import { EmptyState } from '../ui/empty-state.tsx'
import { ErrorState } from '../ui/error-state.tsx'
import { LinkButton } from '../ui/link.tsx'
import { Page } from '../ui/page.tsx'

export function NotFoundPage() {
  return (
    <Page title="Page not found">
      <EmptyState title="This page does not exist" action={<LinkButton to="/">Open Home</LinkButton>}>
        It was moved, or the link is incomplete.
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
  return (
    <Page title="Access denied">
      <EmptyState title={`This page requires the scope ${scope}`}>
        Ask an owner to change your role under Settings, Operators.
      </EmptyState>
    </Page>
  )
}
