import { Stack, Text } from '@mantine/core'
import { revokeOtherSessions } from '../../api/auth.ts'
import { useSession } from '../../api/session.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { notifySuccess } from '../../ui/notify.ts'
import { Page as Frame } from '../../ui/page.tsx'
import { ROLE_NAMES } from '../../ui/roles.ts'
import { Section } from '../../ui/section.tsx'
import { PasswordForm } from './password-form.tsx'
import { TwoFactorSection } from './two-factor-section.tsx'

/** Profile, two-factor authentication, password and sessions of the signed-in operator. */
export function Page() {
  const operator = useSession().data?.operator
  if (!operator) return null
  const { name, email, role } = operator
  return (
    <Frame title="Account">
      <Section title="Profile">
        <DescriptionList
          items={[
            ['Name', name],
            ['Email', email],
            ['Role', role && ROLE_NAMES[role]],
          ]}
        />
      </Section>
      <Section title="Two-factor authentication">
        <TwoFactorSection enabled={operator.two_factor} />
      </Section>
      <Section title="Password">
        <PasswordForm />
      </Section>
      <Section title="Sessions">
        <Stack align="flex-start">
          <Text size="sm">End your sessions in all other browsers, for example on a lost device.</Text>
          <ConfirmButton
            destructive={false}
            question="Sign out other sessions?"
            consequence="All your sessions except this one end immediately."
            onConfirm={() => revokeOtherSessions().then(() => notifySuccess('Other sessions signed out.'))}
          >
            Sign out other sessions
          </ConfirmButton>
        </Stack>
      </Section>
    </Frame>
  )
}
