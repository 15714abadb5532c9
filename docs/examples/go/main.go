// Sends one email with the standard library.
//
//	SVC_BASE_URL=... SVC_API_KEY=... MAIL_FROM=... go run main.go ada@example.com
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"
)

type email struct {
	From    string `json:"from"`
	To      string `json:"to"`
	Subject string `json:"subject"`
	Text    string `json:"text"`
}

type reply struct {
	ID    string `json:"id"`
	Error *struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

func send(message email, idempotencyKey string) (string, error) {
	body, err := json.Marshal(message)
	if err != nil {
		return "", err
	}
	url := os.Getenv("SVC_BASE_URL") + "/api/v1/emails"
	request, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("SVC_API_KEY"))
	request.Header.Set("Content-Type", "application/json")
	// The same key with the same email sends once, so a retry does no harm.
	request.Header.Set("Idempotency-Key", idempotencyKey)
	client := http.Client{Timeout: 30 * time.Second}
	response, err := client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	var answer reply
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return "", err
	}
	if answer.Error != nil {
		return "", fmt.Errorf("%s: %s", answer.Error.Code, answer.Error.Message)
	}
	return answer.ID, nil
}

func main() {
	to := os.Args[1]
	id, err := send(email{
		From:    os.Getenv("MAIL_FROM"),
		To:      to,
		Subject: "From Go",
		Text:    "Hello",
	}, "from-go/"+to)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(id)
}
