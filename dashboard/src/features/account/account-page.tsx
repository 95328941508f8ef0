import { Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { revokeOtherSessions } from '../../api/auth.ts'
import { useSession, useSessionWorkspace } from '../../api/session.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { LetterKeysSwitch } from '../../ui/letter-keys-switch.tsx'
import { notifySuccess } from '../../ui/notify.ts'
import { Page as Frame } from '../../ui/page.tsx'
import { roleName } from '../../ui/roles.ts'
import { Section } from '../../ui/section.tsx'
import { NotificationsSection } from './notifications-section.tsx'
import { PasswordForm } from './password-form.tsx'
import { TwoFactorSection } from './two-factor-section.tsx'

/** Profile, notifications, keyboard, two-factor authentication, password and sessions of the signed-in operator. */
export function Page() {
  const { t } = useTranslation('account')
  const operator = useSession().data?.operator
  const workspace = useSessionWorkspace()
  if (!operator) return null
  const { name, email, role } = operator
  return (
    <Frame title={t('title')}>
      <Section title={t('profile.title')}>
        <DescriptionList
          items={[
            [t('profile.name'), name],
            [t('profile.email'), email],
            [t('profile.role'), role && roleName(role)],
          ]}
        />
      </Section>
      {workspace && (
        <Section title={t('notifications.title')}>
          <NotificationsSection />
        </Section>
      )}
      <Section title={t('keyboard.title')}>
        <LetterKeysSwitch />
      </Section>
      <Section title={t('twoFactor.title')}>
        <TwoFactorSection enabled={operator.two_factor} />
      </Section>
      <Section title={t('password.title')}>
        <PasswordForm />
      </Section>
      <Section title={t('sessions.title')}>
        <Stack align="flex-start">
          <Text size="sm">{t('sessions.hint')}</Text>
          <ConfirmButton
            destructive={false}
            question={t('sessions.question')}
            consequence={t('sessions.consequence')}
            onConfirm={() => revokeOtherSessions().then(() => notifySuccess(t('sessions.signedOut')))}
          >
            {t('sessions.signOut')}
          </ConfirmButton>
        </Stack>
      </Section>
    </Frame>
  )
}
