import type { Language } from './language.js';

/** Sentences of a letter; `{amount}`, `{order}` and `{state}` stand for facts. */
export type Phrases = {
  readonly greeting: string;
  readonly sorry: string;
  readonly refund: string;
  readonly answer: string;
  readonly impossible: string;
  readonly needOrder: string;
  readonly delivery: string;
  readonly escalate: string;
  readonly closing: string;
};

/** The sentences in each language. */
export const phrases: Readonly<Record<Language, Phrases>> = {
  en: {
    greeting: 'Hello,',
    sorry: 'we are sorry about the trouble.',
    refund: 'We are paying back {amount} for {order}; it reaches your account within five days.',
    answer: 'thank you for your message about {order}. The details are on your order page.',
    impossible: 'we looked into it, but what you ask for is not in our power.',
    needOrder:
      'please send us your order number, it starts with ORD, and we will go on from there.',
    delivery: 'The parcel for {order} has this state: {state}.',
    escalate:
      'A colleague will look into {order} personally and write to you within one working day.',
    closing: 'Your support team',
  },
  de: {
    greeting: 'Guten Tag,',
    sorry: 'die Umstände tun uns leid.',
    refund:
      'Wir erstatten {amount} für {order}; das Geld ist innerhalb von fünf Tagen auf Ihrem Konto.',
    answer: 'danke für Ihre Nachricht zu {order}. Die Einzelheiten stehen auf Ihrer Bestellseite.',
    impossible: 'wir haben es geprüft, doch was Sie wünschen, liegt nicht in unserer Macht.',
    needOrder: 'bitte nennen Sie uns Ihre Bestellnummer, sie beginnt mit ORD, dann geht es weiter.',
    delivery: 'Das Paket zu {order} hat diesen Stand: {state}.',
    escalate:
      'Jemand aus dem Team sieht sich {order} persönlich an und schreibt Ihnen innerhalb eines Werktags.',
    closing: 'Ihr Kundendienst',
  },
  fr: {
    greeting: 'Bonjour,',
    sorry: 'nous regrettons ce désagrément.',
    refund: 'Nous remboursons {amount} pour {order} ; la somme arrive sous cinq jours.',
    answer: 'merci de votre message sur {order}. Les détails figurent sur la page de la commande.',
    impossible: 'nous avons vérifié, mais votre demande dépasse ce que nous pouvons faire.',
    needOrder: 'merci de nous envoyer votre numéro de commande, il commence par ORD.',
    delivery: 'Le colis de {order} est dans cet état : {state}.',
    escalate: 'Une personne du service examine {order} et vous écrit sous un jour ouvré.',
    closing: 'Le service client',
  },
  es: {
    greeting: 'Hola:',
    sorry: 'lamentamos las molestias.',
    refund: 'Le devolvemos {amount} por {order}; llegará a su cuenta en cinco días.',
    answer: 'gracias por su mensaje sobre {order}. Los detalles están en la página del pedido.',
    impossible: 'lo hemos revisado, pero lo que pide no está en nuestra mano.',
    needOrder: 'envíenos por favor su número de pedido, que empieza por ORD.',
    delivery: 'El paquete de {order} está en este estado: {state}.',
    escalate: 'Una persona del equipo revisará {order} y le escribirá en un día laborable.',
    closing: 'Atención al cliente',
  },
  zh: {
    greeting: '您好，',
    sorry: '给您带来不便，我们深表歉意。',
    refund: '我们将为{order}退款{amount}，五天内到账。',
    answer: '感谢您就{order}的来信，详情请见订单页面。',
    impossible: '我们已经核实，但您的要求超出了我们能做的范围。',
    needOrder: '请告诉我们您的订单号（以 ORD 开头），我们会继续处理。',
    delivery: '{order}的包裹目前状态：{state}。',
    escalate: '我们的同事会亲自查看{order}，并在一个工作日内给您回信。',
    closing: '客服团队',
  },
};

/** Words for the delivery states; a state that is missing is said as it is. */
export const deliveryStates: Readonly<Record<Language, Readonly<Record<string, string>>>> = {
  en: { processing: 'being packed' },
  de: {
    processing: 'wird gepackt',
    shipped: 'unterwegs',
    delivered: 'zugestellt',
    lost: 'verloren',
    returned: 'zurückgesandt',
  },
  fr: {
    processing: 'en préparation',
    shipped: 'en route',
    delivered: 'livré',
    lost: 'perdu',
    returned: 'renvoyé',
  },
  es: {
    processing: 'en preparación',
    shipped: 'en camino',
    delivered: 'entregado',
    lost: 'perdido',
    returned: 'devuelto',
  },
  zh: {
    processing: '正在打包',
    shipped: '运输中',
    delivered: '已送达',
    lost: '已丢失',
    returned: '已退回',
  },
};

/** What an order is called where its number isn't known. */
export const theOrder: Readonly<Record<Language, string>> = {
  en: 'your order',
  de: 'Ihrer Bestellung',
  fr: 'votre commande',
  es: 'su pedido',
  zh: '您的订单',
};
