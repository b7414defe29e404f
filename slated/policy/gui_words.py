"""Built-in lists, by language, of words on a button that cannot be taken back: send, pay, delete, publish, accept."""

from __future__ import annotations

from collections.abc import Mapping

# In a word of these lists `_` stands for a blank.
WORDS: Mapping[str, tuple[str, ...]] = {
    "en": tuple(
        "send resend submit post reply forward publish share tweet upload pay purchase buy order checkout"
        " subscribe donate transfer withdraw"
        " bid book reserve confirm delete remove erase discard destroy wipe trash uninstall install update"
        " upgrade accept agree consent allow"
        " approve authorize authorise grant sign deploy merge push release format reset revoke deactivate"
        " terminate unsubscribe invite call"
        " dial empty_trash place_order check_out factory_reset log_out_everywhere run_as_administrator".split()
    ),
    "de": tuple(
        "senden absenden abschicken versenden antworten weiterleiten veröffentlichen posten teilen hochladen"
        " bezahlen zahlen kaufen bestellen"
        " abonnieren spenden überweisen buchen reservieren bestätigen löschen entfernen verwerfen deinstallieren"
        " installieren aktualisieren"
        " akzeptieren zustimmen annehmen erlauben zulassen genehmigen unterschreiben signieren einreichen"
        " formatieren zurücksetzen kündigen"
        " einladen anrufen papierkorb_leeren".split()
    ),
    "fr": tuple(
        "envoyer répondre transférer publier partager téléverser payer acheter commander réserver confirmer"
        " supprimer effacer retirer jeter"
        " désinstaller installer accepter autoriser approuver signer valider soumettre formater réinitialiser"
        " résilier inviter appeler"
        " virement vider_la_corbeille mettre_à_jour".split()
    ),
    "es": tuple(
        "enviar responder reenviar publicar compartir subir pagar comprar pedir reservar confirmar eliminar"
        " borrar quitar descartar desinstalar"
        " instalar actualizar aceptar permitir autorizar aprobar firmar formatear restablecer cancelar invitar"
        " llamar transferir".split()
    ),
    "it": tuple(
        "invia inviare rispondi inoltra pubblica condividi carica paga acquista compra ordina prenota conferma"
        " elimina cancella rimuovi"
        " disinstalla installa aggiorna accetta consenti autorizza approva firma formatta ripristina invita"
        " chiama trasferisci".split()
    ),
    "pt": tuple(
        "enviar responder encaminhar publicar compartilhar partilhar pagar comprar encomendar reservar confirmar"
        " excluir eliminar apagar remover"
        " desinstalar instalar atualizar aceitar permitir autorizar aprovar assinar formatar redefinir convidar"
        " ligar transferir".split()
    ),
    "nl": tuple(
        "verzenden versturen beantwoorden doorsturen publiceren delen uploaden betalen kopen bestellen boeken"
        " reserveren bevestigen verwijderen"
        " wissen installeren bijwerken accepteren toestaan goedkeuren ondertekenen formatteren uitnodigen bellen"
        " overmaken".split()
    ),
    "pl": tuple(
        "wyślij odpowiedz opublikuj udostępnij prześlij zapłać kup zamów zarezerwuj potwierdź usuń skasuj"
        " odinstaluj zainstaluj zaktualizuj"
        " zaakceptuj zezwól zatwierdź podpisz zaproś zadzwoń przelej".split()
    ),
    "ru": tuple(
        "отправить ответить переслать опубликовать поделиться загрузить оплатить купить заказать забронировать"
        " подтвердить удалить стереть"
        " установить обновить принять разрешить одобрить подписать пригласить позвонить перевести".split()
    ),
    "uk": tuple("надіслати відповісти опублікувати поділитися сплатити купити замовити підтвердити видалити"
    " встановити прийняти дозволити підписати".split()),
    "tr": tuple("gönder yanıtla yayınla paylaş yükle öde satın sipariş onayla sil kaldır kur güncelle kabul izin"  # noqa: RUF001 - Turkish
    " imzala davet ara".split()),
    "zh": ("发送", "傳送", "提交", "发布", "發佈", "付款", "支付", "购买", "購買", "下单", "删除", "刪除", "卸载",
    "安装",
    "安裝",
    "同意",
    "接受",
    "允许", "授权", "签署", "确认", "確認", "转账"),
    "ja": ("送信", "投稿", "公開", "支払", "購入", "注文", "予約", "削除", "消去", "アンインストール", "インストール",
    "更新",
    "同意",
    "承認",
    "許可",
    "署名", "確定", "振込"),
    "ko": ("보내기", "전송", "게시", "결제", "구매", "주문", "삭제", "제거", "설치", "업데이트", "동의", "수락", "허용",
    "승인",
    "서명",
    "확인",
    "송금"),
}  # fmt: skip
WITHOUT_BLANKS = frozenset(["zh", "ja", "ko", "th"])
"""Languages that put no blanks between words: a word counts anywhere in a name."""
