import { Container } from '@mantine/core'
import type { ErrorComponentProps } from '@tanstack/react-router'
import { EmptyState } from '../ui/empty-state.tsx'
import { ErrorState } from '../ui/error-state.tsx'
import { LinkButton } from '../ui/link.tsx'
import { Page } from '../ui/page.tsx'

export function UnknownPage() {
  return (
    <Page title="There is no such page">
      <EmptyState title="Nothing stands at this address" action={<LinkButton to="/">To the first page</LinkButton>}>
        It may have been moved, or the link is incomplete.
      </EmptyState>
    </Page>
  )
}

export function BrokenPage({ error, reset }: ErrorComponentProps) {
  return (
    <Container py="xl">
      <ErrorState error={error} onRetry={reset} />
    </Container>
  )
}

/** The server would refuse what the page asks for. */
export function NotForThisRole({ scope }: { readonly scope: string | undefined }) {
  return (
    <Page title="Not for your role">
      <EmptyState title={`This page needs the scope ${scope}`}>
        An owner can change your role under Settings, Operators.
      </EmptyState>
    </Page>
  )
}
