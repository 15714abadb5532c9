<?php
// Sends one email, without an extension or a library.
//
// SVC_BASE_URL=... SVC_API_KEY=... MAIL_FROM=... php send.php ada@example.com

function send(array $email, string $idempotencyKey): string
{
    $context = stream_context_create(['http' => [
        'method' => 'POST',
        'header' => [
            'Authorization: Bearer ' . getenv('SVC_API_KEY'),
            'Content-Type: application/json',
            // The same key with the same email sends once, so a retry does no harm.
            'Idempotency-Key: ' . $idempotencyKey,
        ],
        'content' => json_encode($email, JSON_THROW_ON_ERROR),
        'timeout' => 30,
        'ignore_errors' => true, // A refusal has a body, too.
    ]]);
    $body = file_get_contents(getenv('SVC_BASE_URL') . '/api/v1/emails', false, $context);
    if ($body === false) {
        throw new RuntimeException('No answer.');
    }
    $answer = json_decode($body, true, 512, JSON_THROW_ON_ERROR);
    if (isset($answer['error'])) {
        throw new RuntimeException($answer['error']['message']);
    }
    return $answer['id'];
}

try {
    echo send([
        'from' => getenv('MAIL_FROM'),
        'to' => $argv[1],
        'subject' => 'From PHP',
        'text' => 'Hello',
    ], 'from-php/' . $argv[1]), "\n";
} catch (RuntimeException $refused) {
    fwrite(STDERR, $refused->getMessage() . "\n");
    exit(1);
}
