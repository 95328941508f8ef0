import { Center, Paper, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { Logo } from '../../ui/logo.tsx'

interface SignInLayoutProps {
  readonly title: string
  readonly description?: string
  readonly children: ReactNode
}

/** Frame of the pages that require no sign-in. */
export function SignInLayout({ title, description, children }: SignInLayoutProps) {
  useEffect(() => {
    document.title = `${title} · Gatehouse`
  }, [title])
  return (
    <Center component="main" mih="100dvh" p="md">
      <Paper withBorder p="xl" w="100%" maw={420}>
        <Stack>
          <Stack gap={4} align="center">
            <Logo size={40} />
            <Title order={1} size="h3" ta="center">
              {title}
            </Title>
            {description && (
              <Text c="dimmed" size="sm" ta="center">
                {description}
              </Text>
            )}
          </Stack>
          {children}
        </Stack>
      </Paper>
    </Center>
  )
}
