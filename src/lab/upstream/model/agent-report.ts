import type { Language } from './language.js';
import { theOrder } from './reply-phrases.js';

/** What an agent's tools came to. */
export type AgentEnds = {
  readonly orderId: string | undefined;
  readonly refund:
    | { readonly kind: 'none' | 'not-paid' }
    | { readonly kind: 'paid' | 'unconfirmed'; readonly amountCents: number };
  readonly letter: 'sent' | 'unconfirmed' | 'not-sent';
};

/** Sentences of a report; `{amount}` and `{order}` stand for facts. */
export type ReportPhrases = {
  readonly refund: Readonly<Record<AgentEnds['refund']['kind'], string>>;
  readonly letter: Readonly<Record<AgentEnds['letter'], string>>;
};

/** The sentences in each language: one on the money, one on the letter. */
export const reportPhrases: Readonly<Record<Language, ReportPhrases>> = {
  en: {
    refund: {
      none: 'No refund was made for {order}.',
      paid: '{amount} were paid back for {order}.',
      unconfirmed: 'Whether {amount} were paid back for {order} is not confirmed: please check.',
      'not-paid': 'The refund for {order} was not made: a colleague has to take it on.',
    },
    letter: {
      sent: 'The customer has got a letter.',
      unconfirmed: 'Whether the customer got a letter is not confirmed.',
      'not-sent': 'No letter was sent to the customer.',
    },
  },
  de: {
    refund: {
      none: 'Für {order} wurde nichts erstattet.',
      paid: 'Für {order} wurden {amount} erstattet.',
      unconfirmed: 'Ob für {order} {amount} erstattet wurden, ist nicht bestätigt: bitte prüfen.',
      'not-paid': 'Die Erstattung für {order} kam nicht zustande: jemand muss sie übernehmen.',
    },
    letter: {
      sent: 'Der Brief an die Kundschaft ist verschickt.',
      unconfirmed: 'Ob der Brief verschickt wurde, ist nicht bestätigt.',
      'not-sent': 'Es wurde kein Brief verschickt.',
    },
  },
  fr: {
    refund: {
      none: "Rien n'a été remboursé pour {order}.",
      paid: '{amount} ont été remboursés pour {order}.',
      unconfirmed: "Le remboursement de {amount} pour {order} n'est pas confirmé : à vérifier.",
      'not-paid':
        "Le remboursement pour {order} n'a pas été fait : une personne doit le reprendre.",
    },
    letter: {
      sent: 'La lettre est partie.',
      unconfirmed: "L'envoi de la lettre n'est pas confirmé.",
      'not-sent': "Aucune lettre n'a été envoyée.",
    },
  },
  es: {
    refund: {
      none: 'No se devolvió nada por {order}.',
      paid: 'Se devolvieron {amount} por {order}.',
      unconfirmed: 'No está confirmado que se devolvieran {amount} por {order}: hay que revisarlo.',
      'not-paid': 'La devolución por {order} no se hizo: alguien tiene que encargarse.',
    },
    letter: {
      sent: 'La carta se ha enviado.',
      unconfirmed: 'No está confirmado que la carta se enviara.',
      'not-sent': 'No se envió ninguna carta.',
    },
  },
  zh: {
    refund: {
      none: '{order}没有退款。',
      paid: '已为{order}退款{amount}。',
      unconfirmed: '{order}的退款{amount}是否到账尚未确认，请核实。',
      'not-paid': '{order}的退款没有完成，需要同事接手。',
    },
    letter: {
      sent: '已给客户发信。',
      unconfirmed: '给客户的信是否发出尚未确认。',
      'not-sent': '没有给客户发信。',
    },
  },
};

/** Returns what was done and what wasn't, in a language. */
export function reportEnds(ends: AgentEnds, language: Language): string {
  const { refund, letter, orderId } = ends;
  const say = reportPhrases[language];
  const cents = 'amountCents' in refund ? refund.amountCents : 0;
  const money = say.refund[refund.kind]
    .replace('{order}', orderId ?? theOrder[language])
    .replace('{amount}', `${(cents / 100).toFixed(2)} €`);
  return `${money} ${say.letter[letter]}`;
}
